"""Calls that a model writes into its answer, in the syntax of its family."""

from __future__ import annotations

from fault_scenarios.scenario import Scenario, command
from minime_core.testing import Reply, text, thinking


def _json(letter: str, key: str = "arguments") -> str:
    return f'{{"name": "bash", "{key}": {{"command": "{command(letter)}"}}}}'


def _arguments(letter: str) -> str:
    return f'{{"command": "{command(letter)}"}}'


def _parameter(letter: str) -> str:
    return f"<function=bash>\n<parameter=command>\n{command(letter)}\n</parameter>\n</function>"


def _texts(*answers: str) -> tuple[Reply, ...]:
    return (*map(text, answers), text("Done."))


HERMES = f"<tool_call>\n{_json('a')}\n</tool_call>"
BAR, BLOCK = "\N{FULLWIDTH VERTICAL LINE}", "\N{LOWER ONE EIGHTH BLOCK}"
DEEPSEEK = (
    "<|tool_calls_begin|><|tool_call_begin|>function<|tool_sep|>bash\n"
    f"```json\n{_arguments('k')}\n```<|tool_call_end|><|tool_calls_end|>"
)
DOCUMENT = f"""\
A call of Hermes looks like this:

```
{HERMES}
```

Mistral begins one with [TOOL_CALLS], inline it is `[TOOL_CALLS]bash[ARGS]{{}}`."""

SCENARIOS = (
    Scenario(
        when="a call has the tags of Hermes and Qwen, or one of them is missing",
        then="makes the call; no tag is shown",
        replies=_texts(
            f"I look.\n{HERMES}",
            f"<tool_call>\n{_json('b')}",
            f"{_json('c')}\n</tool_call>",
            f"<tool_call>\n{_parameter('d')}\n</tool_call>",
            f"<tool_call>bash\n<arg_key>command</arg_key>\n<arg_value>{command('e')}</arg_value>\n"
            "</tool_call>",
            '<minimax:tool_call>\n<invoke name="bash">\n<parameter name="command">'
            f"{command('f')}</parameter>\n</invoke>\n</minimax:tool_call>",
        ),
        ran="abcdef",
        unseen="tool_call>",
    ),
    Scenario(
        when="a call has the tokens of Mistral, Llama, Gemma, DeepSeek or gpt-oss",
        then="makes the call; no token is shown",
        replies=_texts(
            f"[TOOL_CALLS]bash[ARGS]{_arguments('g')}",
            f"[TOOL_CALLS][{_json('h')}]",
            f"<|python_tag|>{_json('i', 'parameters')}",
            f'<|tool_call>call:bash{{command:<|"|>{command("j")}<|"|>}}<tool_call|>',
            DEEPSEEK.replace("_", BLOCK).replace("|", BAR),
            "<|channel|>commentary to=functions.bash <|constrain|>json<|message|>"
            f"{_arguments('l')}<|call|>",
            f'```tool_code\nbash(command="{command("m")}")\n```',
        ),
        ran="ghijklm",
        unseen="TOOL_CALLS",
    ),
    Scenario(
        when="the whole answer is a call in JSON, bare or in a fence",
        then="makes the call",
        replies=_texts(
            _json("a"),
            f"```json\n{_json('b', 'parameters')}\n```",
            f'{{"tool": "bash", "args": {_arguments("c")}}}',
        ),
        ran="abc",
    ),
    Scenario(
        when="a call stands inside the thinking, with nothing behind it",
        then="makes the call",
        replies=(thinking(f"I have to look. {HERMES}"), text("Done.")),
        ran="a",
    ),
    Scenario(
        when="an answer explains calls, in code",
        then="leaves it as it is",
        replies=(text(DOCUMENT),),
        out=DOCUMENT,
    ),
    Scenario(
        when="an answer is JSON that is no call",
        then="leaves it as it is",
        replies=(text('{"name": "Ada", "arguments": ["x"]}'),),
        out='{"name": "Ada", "arguments": ["x"]}',
    ),
    Scenario(
        when="an answer is JSON that calls what is no tool",
        then="leaves it as it is",
        replies=(text('{"name": "launch", "arguments": {"rockets": 2}}'),),
        out='{"name": "launch", "arguments": {"rockets": 2}}',
    ),
    Scenario(
        when="a call in text needs a permission that nobody can give",
        then="does not run it; the model is told",
        replies=(text(HERMES), text("Done.")),
        told="[bash: ",
        options=(),
    ),
    Scenario(
        when="a call in text is for a tool that does not exist, twice",
        then="asks once more, then ends the turn",
        replies=(text(HERMES.replace("bash", "search")),) * 2,
        end="unexecuted",
        out=HERMES.replace("bash", "search"),
    ),
)
