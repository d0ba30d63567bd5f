"""The syntaxes of Llama 3.1 and later.

    <|python_tag|>{"name": "read_file", "parameters": {"path": "a.txt"}}
    <|python_tag|>read_file.call(path="a.txt")
    <function=read_file>{"path": "a.txt"}</function>

Source: Meta's documentation of the prompt formats of Llama 3.1 and 3.2. The JSON of the first is
often written without its token; that is the format `json_block`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from minime_core.messages import ToolCall
from minime_core.tools import Tool
from minime_tool_formats.cursor import Cursor, Ended
from minime_tool_formats.family import Family
from minime_tool_formats.json_calls import read_arguments, read_calls
from minime_tool_formats.json_text import dump
from minime_tool_formats.python_calls import parse_code

PYTHON_TAG = "<|python_tag|>"
FUNCTION = "<function="
CLOSING = "</function>"
_END_OF_MESSAGE = re.compile(r"<\|eo[mt]_id\|>")


class Llama(Family):
    """See the module."""

    name = "llama"
    openers = (PYTHON_TAG, FUNCTION)
    usage = f'{PYTHON_TAG}{{"name": NAME, "parameters": {{...}}}}'

    def read_calls(self, cursor: Cursor, tools: Mapping[str, Tool]) -> list[ToolCall]:
        if cursor.sees(FUNCTION):
            return [_read_function(cursor)]
        cursor.expect(PYTHON_TAG)
        cursor.skip_space()
        if cursor.is_at_end or cursor.sees("{"):
            return read_calls(cursor)
        if not cursor.is_final:
            # All that follows this token is code.
            raise Ended
        end = _END_OF_MESSAGE.search(cursor.text, cursor.at)
        code = cursor.text[cursor.at : end.start() if end else len(cursor.text)]
        cursor.at = len(cursor.text)
        return parse_code(code, tools)

    def render_call(self, call: ToolCall) -> str:
        return PYTHON_TAG + dump({"name": call.name, "parameters": call.arguments})

    def render_result(self, name: str, text: str) -> str:
        return dump({"output": text})


def _read_function(cursor: Cursor) -> ToolCall:
    cursor.expect(FUNCTION)
    name = cursor.name()
    # Some leave the bracket out.
    cursor.accept(">")
    cursor.skip_space()
    call = read_arguments(cursor, name)
    cursor.close(CLOSING, [call])
    return call
