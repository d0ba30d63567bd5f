"""The syntax that Gemma 2 and 3 were shown most: Python in a block of its own.

    ```tool_code
    read_file(path="a.txt")
    ```

Source: Google's documentation of function calling with Gemma, and answers of Gemma 3.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from minime_core.messages import ToolCall
from minime_core.tools import Tool
from minime_tool_formats.cursor import Cursor, Ended, Mismatch
from minime_tool_formats.family import Family
from minime_tool_formats.python_calls import parse_code, render_call, signature

OPENING = "```tool_code"
_LINE_END = re.compile(r"[ \t]*\r?\n")
_CLOSING = re.compile(r"\n[ \t]*```[ \t]*(?=\r?\n|\Z)")


class Gemma(Family):
    """See the module."""

    name = "gemma"
    openers = (OPENING,)
    usage = f"{OPENING}\nNAME(KEY=VALUE)\n```"

    def read_calls(self, cursor: Cursor, tools: Mapping[str, Tool]) -> list[ToolCall]:
        cursor.expect(OPENING)
        line_end = _LINE_END.match(cursor.text, cursor.at)
        if line_end is None:
            if cursor.text[cursor.at :].strip(" \t\r"):
                raise Mismatch
            raise Ended
        start = line_end.end()
        closing = _CLOSING.search(cursor.text, start - 1)
        if closing is None or (closing.end() == len(cursor.text) and not cursor.is_final):
            raise Ended(parse_code(cursor.text[start:], tools) if cursor.is_final else ())
        cursor.at = closing.end()
        return parse_code(cursor.text[start : closing.start()], tools)

    def render_tools(self, tools: Sequence[Tool]) -> str:
        signatures = "\n".join(signature(tool) for tool in tools)
        return f"Functions:\n{signatures}\nTo call a function, write:\n{self.usage}"

    def render_call(self, call: ToolCall) -> str:
        return f"{OPENING}\n{render_call(call)}\n```"

    def render_result(self, name: str, text: str) -> str:
        return f"```tool_output\n{text}\n```"
