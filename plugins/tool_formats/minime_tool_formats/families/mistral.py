"""The syntaxes of Mistral: a control token, then JSON.

    [TOOL_CALLS][{"name": "read_file", "arguments": {"path": "a.txt"}}]
    [TOOL_CALLS]read_file[ARGS]{"path": "a.txt"}
    [TOOL_CALLS]read_file{"path": "a.txt"}

The first is that of the models before the autumn of 2025, the second of those since; between name
and arguments there may be `[CALL_ID]` and an id. Source: the chat templates of Mistral Nemo, Small
3.2 and Ministral 3.
"""

from __future__ import annotations

from collections.abc import Mapping

from minime_core.messages import ToolCall
from minime_core.tools import Tool
from minime_tool_formats.cursor import Cursor
from minime_tool_formats.family import Family
from minime_tool_formats.json_calls import read_arguments, read_calls
from minime_tool_formats.json_text import dump

OPENING = "[TOOL_CALLS]"
CALL_ID = "[CALL_ID]"
ARGUMENTS = "[ARGS]"


class Mistral(Family):
    """See the module."""

    name = "mistral"
    openers = (OPENING,)
    usage = f"{OPENING}NAME{ARGUMENTS}{{...}}"

    def read_calls(self, cursor: Cursor, tools: Mapping[str, Tool]) -> list[ToolCall]:
        cursor.expect(OPENING)
        cursor.skip_space()
        if cursor.sees("[") or cursor.sees("{"):
            return read_calls(cursor)
        name = cursor.name()
        cursor.skip_space()
        if cursor.accept(CALL_ID):
            cursor.name()
        cursor.accept(ARGUMENTS)
        cursor.skip_space()
        return [read_arguments(cursor, name)]

    def render_call(self, call: ToolCall) -> str:
        return f"{OPENING}{call.name}{ARGUMENTS}{dump(call.arguments)}"

    def render_result(self, name: str, text: str) -> str:
        return f"[TOOL_RESULTS]{text}[/TOOL_RESULTS]"
