# ruff: noqa: RUF001 - tokens of a model
"""All scenarios. What their commands print stands in the file `log` too, as often as they ran."""

from __future__ import annotations

import json
from collections.abc import Iterator

from minime_core.testing import (
    Reply,
    comments,
    crash,
    cut,
    endless,
    error_event,
    finish,
    html,
    parallel,
    progress,
    reset,
    stall,
    status,
    text,
    thinking,
    tool_call,
)
from scenario import Scenario

RUN = "echo ran | tee -a log"
ARGUMENTS = json.dumps({"command": RUN})
CALL = tool_call("bash", ARGUMENTS)
DONE = text("Done.")
QUICK = {"first_token_timeout": 0.3, "watchdog_timeout": 0.3}
BAD_OUTPUT = "The model produced output that does not match the expected peg-native format"


def written(arguments: str) -> Reply:
    """Call bash with arguments written like this."""
    return tool_call("bash", arguments)


def _arguments() -> Iterator[Scenario]:
    repaired = {
        "trailing commas": f'{{"command": "{RUN}",}}',
        "single quotes": f"{{'command': '{RUN}'}}",
        "JSON in a JSON text": json.dumps(ARGUMENTS),
        "a list around the object": f"[{ARGUMENTS}]",
        "a code fence around the object": f"```json\n{ARGUMENTS}\n```",
        "a closing tag at the end": f"{ARGUMENTS}</tool_call>",
        "an argument by another name": json.dumps({"cmd": RUN}),
        "a number as text": json.dumps({"command": RUN, "timeout": "5"}),
    }
    for fault, arguments in repaired.items():
        yield Scenario(
            group="Arguments of a call",
            fault=fault,
            outcome="the call runs as it is meant",
            replies=(written(arguments), DONE),
            ran=("ran",),
        )
    half = written('{"command": "echo ran | tee -a log')
    for reason in ("tool_calls", "stop", "length"):
        yield Scenario(
            group="Arguments of a call",
            fault=f"JSON that breaks off, `finish_reason` {reason}",
            outcome="it never runs; the model is told to write less",
            replies=(half + finish(reason), DONE),
            told=("[bash: ",),
        )
    yield Scenario(
        group="Arguments of a call",
        fault="three calls in a row that are cut by `max_tokens`",
        outcome="none runs; the user is told which setting to raise",
        replies=(half + finish("length"),) * 3,
        reason="stuck",
        answer=None,
        said=("max_tokens",),
    )
    yield Scenario(
        group="Arguments of a call",
        fault="arguments that do not fit the schema",
        outcome="the model is told field, fault and shape",
        replies=(tool_call("read_file", {"path": "a", "start": "soon"}), DONE),
        told=("start: ", "Expected {path"),
    )
    yield Scenario(
        group="Arguments of a call",
        fault="more than 256 KB of arguments",
        outcome="the stream is closed at once; the model is told",
        replies=(tool_call("bash", '{"command": "' + "".join(map(str, range(70_000)))), DONE),
        told=("[bash: ",),
        said=("256 KB",),
    )


def _names() -> Iterator[Scenario]:
    for name in (
        "Bash",
        "functions.bash",
        "bash<|channel|>commentary",
        " bash ",
        "shell",
        "execute",
    ):
        yield Scenario(
            group="Names of tools",
            fault=f"`{name}`",
            outcome="bash runs",
            replies=(tool_call(name, ARGUMENTS), DONE),
            ran=("ran",),
        )
    yield Scenario(
        group="Names of tools",
        fault="a tool that does not exist",
        outcome="the model is told which exist, the nearest first",
        replies=(tool_call("read_folder", {"path": "."}), DONE),
        told=("read_folder", "read_file"),
    )


WRITTEN_CALLS = {
    "Hermes and Qwen": f'<tool_call>\n{{"name": "bash", "arguments": {ARGUMENTS}}}\n</tool_call>',
    "Hermes, not closed": f'<tool_call>\n{{"name": "bash", "arguments": {ARGUMENTS}}}',
    "Hermes, not opened": f'{{"name": "bash", "arguments": {ARGUMENTS}}}\n</tool_call>',
    "Qwen3-Coder": "<tool_call>\n<function=bash>\n<parameter=command>\n"
    f"{RUN}\n</parameter>\n</function>\n</tool_call>",
    "GLM": "<tool_call>bash\n<arg_key>command</arg_key>\n"
    f"<arg_value>{RUN}</arg_value>\n</tool_call>",
    "MiniMax": '<minimax:tool_call>\n<invoke name="bash">\n'
    f'<parameter name="command">{RUN}</parameter>\n</invoke>\n</minimax:tool_call>',
    "Mistral, old": f'[TOOL_CALLS][{{"name": "bash", "arguments": {ARGUMENTS}}}]',
    "Mistral, new": f"[TOOL_CALLS]bash[ARGS]{ARGUMENTS}",
    "Llama": f'<|python_tag|>{{"name": "bash", "parameters": {ARGUMENTS}}}',
    "Gemma": f'```tool_code\nbash(command="{RUN}")\n```',
    "Gemma 4": f'<|tool_call>call:bash{{command:<|"|>{RUN}<|"|>}}<tool_call|>',
    "DeepSeek": "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>bash\n"
    f"```json\n{ARGUMENTS}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    "gpt-oss": "<|channel|>commentary to=functions.bash <|constrain|>json<|message|>"
    f"{ARGUMENTS}<|call|>",
    "JSON in a fence": f'```json\n{{"name": "bash", "arguments": {ARGUMENTS}}}\n```',
    "JSON alone": f'{{"name": "bash", "arguments": {ARGUMENTS}}}',
}


def _written_calls() -> Iterator[Scenario]:
    group = "Calls written as text"
    for family, call in WRITTEN_CALLS.items():
        yield Scenario(
            group=group,
            fault=family,
            outcome="it runs, and no tag is shown",
            replies=(text(call), DONE),
            ran=("ran",),
        )
    yield Scenario(
        group=group,
        fault="a call inside thinking",
        outcome="it runs",
        replies=(thinking(f"Hm. {WRITTEN_CALLS['Hermes and Qwen']}") + finish(), DONE),
        ran=("ran",),
    )
    hermes = WRITTEN_CALLS["Hermes and Qwen"]
    shown = {
        "an example in a code fence": f"Write it so:\n```\n{hermes}\n```\nThat is all.",
        "JSON that the user asked for": 'Here: {"name": "Ann", "arguments": {"age": 7}} Enjoy.',
        "a call of an unknown tool": '{"name": "launch", "arguments": {"rockets": 2}}',
    }
    for fault, answer in shown.items():
        yield Scenario(
            group=group,
            fault=fault,
            outcome="it is an answer, and nothing runs",
            replies=(text(answer),),
            answer=answer,
        )


def _several_calls() -> Iterator[Scenario]:
    one, two = ({"command": f"echo {n} | tee -a log"} for n in "12")
    first, second = tool_call("bash", one), tool_call("bash", two)
    for fault, calls in {
        "one after the other": first + second,
        "piece by piece side by side": parallel(first, second),
        "with the same index": tool_call("bash", one, index=0) + tool_call("bash", two, index=0),
        "without index and id": tool_call("bash", one, index=None, id=None)
        + tool_call("bash", two, index=None, id=None),
    }.items():
        yield Scenario(
            group="Several calls in one answer",
            fault=fault,
            outcome="both run once, in order",
            replies=(calls, DONE),
            ran=("1", "2"),
        )


def _silence() -> Iterator[Scenario]:
    group = "No call and no answer"
    for fault, reply in {
        "nothing at all": finish(),
        "thinking alone": thinking("I wonder.") + finish(),
        "a thought that does not end": text("<think>I wonder"),
        "an announcement": text("Let me run the command:"),
    }.items():
        yield Scenario(
            group=group,
            fault=fault,
            outcome="the model is asked to go on, once",
            replies=(reply, DONE),
            answer=None,
        )
    yield Scenario(
        group=group,
        fault="nothing, twice",
        outcome="the turn ends without an answer",
        replies=(finish(), finish()),
        reason="empty",
        answer="",
    )


def _loops() -> Iterator[Scenario]:
    same = tool_call("bash", {"command": "echo same | tee -a log"})
    yield Scenario(
        group="Loops and limits",
        fault="the same call with the same result for ever",
        outcome="a warning after three, the end after six",
        replies=(same,) * 6,
        reason="stuck",
        answer=None,
        ran=("same",) * 6,
        said=("stuck",),
    )
    other = tool_call("bash", {"command": "echo other | tee -a log"})
    yield Scenario(
        group="Loops and limits",
        fault="two calls in turn for ever",
        outcome="the end, as for one call",
        replies=((same, other) * 5)[:9],
        reason="stuck",
        answer=None,
        ran=(("same", "other") * 5)[:9],
        options=("--max-turns", "30"),
    )
    yield Scenario(
        group="Loops and limits",
        fault="more requests than `max_turns`",
        outcome="a last request without tools asks for a summary",
        replies=(
            CALL,
            tool_call("bash", {"command": "echo two | tee -a log"}),
            text("I did it."),
        ),
        reason="limit",
        answer="I did it.",
        ran=("ran", "two"),
        told=("Summarise",),
        options=("--max-turns", "2"),
    )
    yield Scenario(
        group="Loops and limits",
        fault="text that repeats itself for ever",
        outcome="the stream is closed; asked once more with a note",
        replies=(endless(text("and so on and on\n")), DONE),
        told=("repeat",),
    )
    yield Scenario(
        group="Loops and limits",
        fault="text that repeats itself for ever, twice",
        outcome="the turn ends",
        replies=(endless(text("and so on and on\n")),) * 2,
        reason="stuck",
        answer=None,
        said=("repeated itself",),
    )
    yield Scenario(
        group="Loops and limits",
        fault="thoughts that repeat themselves for ever",
        outcome="the stream is closed; asked once more with a note",
        replies=(endless(thinking("But wait, what if not?\n")), DONE),
    )
    yield Scenario(
        group="Loops and limits",
        fault="an answer that is cut by `max_tokens`",
        outcome="the user is told the number and the setting",
        replies=(text("The first half") + finish("length"),),
        answer="The first half",
        said=("max_tokens",),
    )
    yield Scenario(
        group="Loops and limits",
        fault="an answer that is cut by the end of the window",
        outcome="the user is told that the window is full",
        replies=(text("The first half") + finish("length"),),
        answer="The first half",
        said=("the end of the window", "a larger window"),
        settings={"context_window": 2048},
    )


def _time() -> Iterator[Scenario]:
    group = "Time"
    yield Scenario(
        group=group,
        fault="silence before the first token",
        outcome="asked once more without streaming",
        replies=(stall(), DONE),
        guards=QUICK,
    )
    yield Scenario(
        group=group,
        fault="silence in the middle of the answer",
        outcome="the turn ends as stalled, with what was last seen",
        replies=(text("Well") + stall(),),
        reason="stalled",
        answer=None,
        guards=QUICK,
    )
    yield Scenario(
        group=group,
        fault="silence after a tool ran",
        outcome="the turn ends as stalled; the tool ran once",
        replies=(CALL, stall()),
        reason="stalled",
        answer=None,
        ran=("ran",),
        guards=QUICK,
    )
    yield Scenario(
        group=group,
        fault="signs of life before the first token",
        outcome="the wait begins anew with each",
        replies=(progress(10, 20, total=30) + comments(3) + DONE,),
        guards=QUICK,
    )


def _network() -> Iterator[Scenario]:
    group = "Network and server"
    for code in (429, 502, 503, 504):
        yield Scenario(
            group=group,
            fault=f"status {code}",
            outcome="asked again, up to three times",
            replies=(status(code), status(code), DONE),
        )
    yield Scenario(
        group=group,
        fault="status 503, four times",
        outcome="the cause is told",
        replies=(status(503, "overloaded"),) * 4,
        reason="failed",
        answer=None,
        said=("overloaded",),
    )
    yield Scenario(
        group=group,
        fault="a web page instead of an answer",
        outcome="the cause is told",
        replies=(html(),),
        reason="failed",
        answer=None,
        said=("http",),
    )
    for fault, code, message in (
        ("a key that is not taken", 401, "bad key"),
        ("a template that refuses the conversation", 400, "roles must alternate user/assistant"),
    ):
        yield Scenario(
            group=group,
            fault=fault,
            outcome="told at once",
            replies=(status(code, message),),
            reason="failed",
            answer=None,
            said=(message,),
        )
    for fault, reply in {
        "an error in the stream that concerns the answer": text("The ans")
        + error_event(BAD_OUTPUT),
        "a status 500 that concerns the answer": status(500, BAD_OUTPUT),
    }.items():
        yield Scenario(
            group=group,
            fault=fault,
            outcome="the answer is made again, no tool runs twice",
            replies=(CALL, reply, DONE),
            ran=("ran",),
        )
    for fault, ending in {"closed": cut(), "reset": reset()}.items():
        yield Scenario(
            group=group,
            fault=f"a connection that is {fault} in the middle of the answer",
            outcome="one seamless text",
            replies=(text("one two three") + ending, text("three four five")),
            answer="one two three four five",
        )
    yield Scenario(
        group=group,
        fault="a connection that is closed in the middle of a call",
        outcome="the call is asked for again and runs once",
        replies=(written('{"command": "echo') + cut(), CALL, DONE),
        ran=("ran",),
    )
    yield Scenario(
        group=group,
        fault="a connection that is closed after the end",
        outcome="nothing is missing",
        replies=(text("Done.") + finish(done=False) + cut(),),
    )
    yield Scenario(
        group=group,
        fault="a server that crashes in the middle of the answer",
        outcome="told at once, with the way to restart it",
        replies=(text("one two") + crash(),),
        reason="failed",
        answer=None,
        said=("llama-server",),
    )


def _thinking() -> Iterator[Scenario]:
    for fault, answer in {
        "`<think>`": "<think>I wonder.</think>Done.",
        "`<thinking>`": "<thinking>I wonder.</thinking>Done.",
        "no opening tag": "I wonder.\n</think>\n\nDone.",
        "Gemma 4's channel": "<|channel>thought\nI wonder.<channel|>Done.",
    }.items():
        yield Scenario(
            group="Thinking in the text",
            fault=fault,
            outcome="it is neither in the answer nor in the history",
            replies=(CALL, text(answer)),
            ran=("ran",),
            never=("wonder", "think", "channel"),
        )
    quoted = "Write `<think>` before it and `</think>` behind it."
    yield Scenario(
        group="Thinking in the text",
        fault="tags that are quoted",
        outcome="they are left alone",
        replies=(text(quoted),),
        answer=quoted,
    )


SCENARIOS = [
    *_arguments(),
    *_names(),
    *_written_calls(),
    *_several_calls(),
    *_silence(),
    *_loops(),
    *_time(),
    *_network(),
    *_thinking(),
]
