"""Each request begins with the bytes of the one before it, except at announced rewrites."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from minime_context.prefix import first_change
from minime_context.state import state_of
from minime_core.events import MessageDone
from minime_core.messages import Message, ToolCall, Usage
from minime_core.models import ModelRequest
from minime_core.records import Edit, Rewrite
from minime_core.testing.simulation import FileReader, SimulatedServer
from minime_core.tools import Tool, ToolResult
from minime_core.turn import Turn
from minime_providers.wire import Serialiser

TURN = Turn(question="", first=0)
EVERYTHING = ("builtin_tools", "guards", "prompt", "skills", "tool_formats", "wasm_host", "context")
ON = {
    "builtin_tools": {"plan": True, "fetch_content": True},
    "skills": {"enabled": ["bg-jobs", "run-tests"]},
    "wasm_host": {"enabled": ["calculate"]},
    "max_output": 2500,
}
ODDITIES = (
    ToolCall(name="plan", arguments={"steps": [{"step": "Read.", "status": "in_progress"}]}),
    ToolCall(name="read_skill", arguments={"name": "run-tests"}),
    ToolCall(name="translate", arguments={"text": "Hello"}),
    ToolCall(name="read_file", arguments={"path": 5}),
    ToolCall(name="bash", arguments={}, raw='{"command": "ls'),
    ToolCall(name="edit_file", arguments={"path": "gone.py", "old": "a", "new": "b"}),
)
"""Calls of other tools, and such as cannot run."""


class Odd:
    """A file reader that makes an odd call at times, beside one of its own.

    made: the names in the odd calls so far.
    """

    def __init__(self, reader: FileReader) -> None:
        self._reader = reader
        self._count = 0
        self.made: set[str] = set()

    def __call__(self, request: ModelRequest) -> Message:
        done = self._reader(request)
        if request.tool_choice == "none" or not done.calls:
            return done
        self._count += 1
        if self._count % 3:
            return done
        odd = ODDITIES[self._count // 3 % len(ODDITIES)]
        self.made.add(odd.name)
        return replace(done, calls=(odd, *done.calls))


def tools_of(request: ModelRequest) -> bytes:
    """Return the tools of a request as they are sent."""
    bare = ModelRequest(model="m", messages=(), turn=TURN, tools=request.tools)
    return Serialiser({}).body(bare)


def bodies(requests: Sequence[ModelRequest]) -> list[list[bytes]]:
    """Return the messages of each request as they are sent."""
    return [
        [
            Serialiser({}).body(ModelRequest(model="m", messages=[message], turn=TURN))
            for message in request.messages
        ]
        for request in requests
    ]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder of files to read."""
    for number in range(12):
        lines = "".join(f"value_{n} = {n * number}  # a number\n" for n in range(150))
        (tmp_path / f"module_{number}.py").write_text(lines)
    return tmp_path


def check(requests: Sequence[ModelRequest], rewrites_before: Sequence[int]) -> int:
    """Check the requests of a session; return how often the prefix was broken.

    rewrites_before: how many rewrites there were when each request was sent.
    """
    broken = last = 0
    sent = bodies(requests)
    assert {tools_of(request) for request in requests} == {tools_of(requests[0])}
    for number in range(1, len(sent)):
        before, now = sent[last], sent[number]
        assert now[0] == before[0]
        if requests[number].tool_choice == "none":
            # A question for a summary comes behind a part of what was sent before, and is not kept.
            assert now[:-1] == before[: len(now) - 1]
            continue
        if now[: len(before)] != before:
            broken += 1
            assert rewrites_before[number] > rewrites_before[last]
        last = number
    return broken


def test_thirty_questions_with_everything_on_in_a_session_resumed_twice(
    open_chat: Any, project: Path
) -> None:
    rewrites: list[int] = []
    model = Odd(FileReader(project, seed=5, calls=(1, 3)))

    def respond(request: ModelRequest) -> Message:
        rewrites.append(len(chat.rewrites))
        return model(request)

    server = SimulatedServer(respond, window=8192)
    chat = open_chat(server, plugins=EVERYTHING, tools=(), **ON)
    announced = 0
    for number in range(30):
        if number in (10, 20):
            chat.close()
            chat = open_chat(server, plugins=EVERYTHING, tools=(), resume="", **ON)
        assert chat.ask(f"Question {number}?").reason == "answered"
        announced += sum("tokens became" in notice for notice in chat.notices)
    assert server.overflows == 0
    assert announced == len(chat.rewrites)
    assert 0 < check(server.requests, rewrites) <= announced
    assert {"masked outputs", "summary"} == {*chat.rewrites}
    assert model.made == {call.name for call in ODDITIES}


def test_a_resumed_session_finds_its_prompt_in_the_cache(open_chat: Any, project: Path) -> None:
    server = SimulatedServer(Odd(FileReader(project, seed=7)), window=1 << 16)
    chat = open_chat(server, plugins=EVERYTHING, tools=(), **ON)
    for number in range(6):
        chat.ask(f"Question {number}?")
    before = bodies(server.requests[-1:])[0]
    tools, prompt = tools_of(server.requests[-1]), server.longest
    chat.close()
    again = open_chat(server, plugins=EVERYTHING, tools=(), resume="", **ON)
    cached, count = server.cached, len(server.requests)
    again.ask("One more?")
    now = bodies(server.requests[count : count + 1])[0]
    assert now[: len(before)] == before
    assert tools_of(server.requests[count]) == tools
    assert server.cached - cached >= prompt


def answer(cached: int, prompt: int) -> MessageDone:
    return MessageDone(
        message=Message(role="assistant", text="Hi."),
        usage=Usage(prompt_tokens=prompt, cached_tokens=cached),
    )


def test_a_cache_that_was_lost_is_named_by_context(open_chat: Any, make_model: Any) -> None:
    chat = open_chat(make_model(answer(0, 1000), answer(990, 1100), answer(100, 1200)))
    chat.ask("One?")
    chat.ask("Two?")
    assert state_of(chat.session).prefix.broken == ""
    chat.ask("Three?")
    assert "it was the server that let it go" in state_of(chat.session).prefix.broken
    assert "of 1,100 tokens the server had 100 in its cache" in chat.command("context")
    assert chat.notices == []


def test_a_rewrite_that_made_the_server_read_again_is_named(
    open_chat: Any, make_model: Any
) -> None:
    chat = open_chat(make_model(answer(0, 1000), answer(990, 1100), answer(20, 400)))
    chat.ask("One?")
    chat.ask("Two?")
    edit = Edit(first=1, last=1, messages=(Message(role="user", text="..."),))
    chat.session.history.append(Rewrite(why="shortened a message", edits=(edit,)))
    chat.ask("Three?")
    broken = state_of(chat.session).prefix.broken
    assert broken.startswith("message 1 (user) changed (shortened a message): of 1,100 tokens")


def test_it_is_named_at_once_for_who_looks_for_faults(open_chat: Any, make_model: Any) -> None:
    chat = open_chat(make_model(answer(0, 1000), answer(10, 1000)))
    state_of(chat.session).prefix._is_debug = True
    chat.ask("One?")
    chat.ask("Two?")
    assert any(notice.startswith("cache lost, the prompt went on") for notice in chat.notices)


SAME = (
    Message(role="system", text="Be brief."),
    Message(role="user", text="One?"),
    Message(role="assistant", text="Yes."),
)


@pytest.mark.parametrize(
    ("messages", "named"),
    [
        ((*SAME, Message(role="user", text="Two?")), "the prompt went on as before, so it was the"),
        ((Message(role="system", text="Other."), *SAME[1:]), "the system prompt changed"),
        ((*SAME[:2], Message(role="assistant", text="No.")), "message 2 (assistant) changed"),
        (SAME[:2], "what came after message 1 is gone"),
    ],
)
def test_what_changed_is_named(messages: Sequence[Message], named: str) -> None:
    before = ModelRequest(model="m", messages=SAME, turn=TURN)
    assert first_change(before, replace(before, messages=messages)).startswith(named)


def test_fields_that_templates_read_are_named() -> None:
    before = ModelRequest(model="m", messages=SAME, turn=TURN, extra={"seed": 1, "a": 1})
    now = replace(before, extra={"seed": 1, "chat_template_kwargs": {"enable_thinking": False}})
    assert first_change(before, now) == (
        "the messages went on as before, but a, chat_template_kwargs changed"
    )


def test_tools_that_changed_are_named() -> None:
    before = ModelRequest(model="m", messages=SAME, turn=TURN)
    tool = Tool(name="t", description="", schema={}, run=_nothing, effects=frozenset())
    assert first_change(before, replace(before, tools=(tool,))) == "the tools changed"


async def _nothing(arguments: Any, context: Any) -> ToolResult:
    return ToolResult(text="")


def test_one_request_at_a_time_and_none_beside_the_users(open_chat: Any, project: Path) -> None:
    server = SimulatedServer(FileReader(project, seed=3, calls=(1, 1)), window=1 << 20)
    chat = open_chat(server, plugins=EVERYTHING, tools=(), **ON)
    for number in range(5):
        chat.ask(f"Question {number}?")
    questions = [request.messages[-1] for request in server.requests]
    assert [m.text for m in questions if m.role == "user"] == [f"Question {n}?" for n in range(5)]
    assert len(server.requests) == 10
