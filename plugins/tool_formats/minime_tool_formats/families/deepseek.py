"""The syntaxes of DeepSeek: control tokens around name and arguments.

    <|tool_calls_begin|><|tool_call_begin|>function<|tool_sep|>read_file
    ```json
    {"path": "a.txt"}
    ```<|tool_call_end|><|tool_calls_end|>

    <|tool_calls_begin|><|tool_call_begin|>read_file<|tool_sep|>{"path": "a.txt"}<|tool_call_end|>
    <|tool_calls_end|>

with a full-width bar (U+FF5C) for `|` and a low block (U+2581) for `_`. The first is that of V3 and
R1, the second that of V3.1. The distilled models write spaces and underscores for the block.
Source: the chat templates of R1 and V3.1, and llama.cpp's list of variants.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from minime_core.messages import ToolCall
from minime_core.tools import Tool
from minime_tool_formats.cursor import Cursor, Ended
from minime_tool_formats.family import Family
from minime_tool_formats.json_calls import read_arguments
from minime_tool_formats.json_text import dump

FENCE = "```json"
FENCE_END = "```"
BAR = "\N{FULLWIDTH VERTICAL LINE}"
SPACES = ("\N{LOWER ONE EIGHTH BLOCK}", "_", " ")
"""What stands between the words of a token, the original first."""


def _token(words: str, space: str = SPACES[0]) -> str:
    return f"<{BAR}{words.replace(' ', space)}{BAR}>"


CALLS_BEGIN = _token("tool calls begin")
CALLS_END = _token("tool calls end")
CALL_BEGIN = _token("tool call begin")
CALL_END = _token("tool call end")
SEPARATOR = _token("tool sep")


class DeepSeek(Family):
    """See the module."""

    name = "deepseek"
    openers = tuple(
        _token(f"tool {what} begin", space) for what in ("calls", "call") for space in SPACES
    )
    usage = f"{CALLS_BEGIN}{CALL_BEGIN}NAME{SEPARATOR}{{...}}{CALL_END}{CALLS_END}"

    def read_calls(self, cursor: Cursor, tools: Mapping[str, Tool]) -> list[ToolCall]:
        space = next(space for space in SPACES if cursor.sees(f"<{BAR}tool{space}"))
        beginning = _token("tool calls begin", space)
        if cursor.sees(beginning):
            cursor.expect(beginning)
            cursor.skip_space()
        calls = cursor.several(_token("tool call begin", space), lambda: _read_call(cursor, space))
        cursor.close(_token("tool calls end", space), calls)
        return calls

    def render_answer(self, text: str, calls: Sequence[ToolCall]) -> str:
        written = "".join(self.render_call(call) for call in calls)
        return f"{text}{CALLS_BEGIN}{written}{CALLS_END}" if calls else text

    def render_call(self, call: ToolCall) -> str:
        return f"{CALL_BEGIN}{call.name}{SEPARATOR}{dump(call.arguments)}{CALL_END}"

    def render_result(self, name: str, text: str) -> str:
        return f"{_token('tool output begin')}{text}{_token('tool output end')}"


def _read_call(cursor: Cursor, space: str) -> ToolCall:
    """Read a call of either generation from behind its beginning."""
    name = cursor.name()
    cursor.expect(_token("tool sep", space))
    cursor.skip_space()
    if cursor.is_at_end:
        raise Ended
    if not cursor.sees("{"):
        # What stood before the separator was the kind of call, which is always a function.
        name = cursor.name()
        cursor.skip_space()
        cursor.accept(FENCE)
        cursor.skip_space()
    call = read_arguments(cursor, name)
    cursor.close(FENCE_END, [call])
    cursor.close(_token("tool call end", space), [call])
    return call
