"""The syntax of Hermes and Qwen 2.5 and 3: a JSON object between tags.

    <tool_call>
    {"name": "read_file", "arguments": {"path": "a.txt"}}
    </tool_call>

Small models forget either tag. Source: the chat templates of Hermes 2 Pro and Qwen 3.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from minime_core.messages import ToolCall
from minime_core.tools import Tool
from minime_tool_formats.cursor import Cursor, Ended, Mismatch
from minime_tool_formats.family import Family
from minime_tool_formats.json_calls import read_calls
from minime_tool_formats.json_text import dump
from minime_tool_formats.names import unwrapped

OPENING = "<tool_call>"
CLOSING = "</tool_call>"
_NAME = re.compile(r'\{\s*"name"\s*:\s*"([^"]*)"')
_LONGEST_HEAD = 150
"""Characters within which the name of the tool has to stand where the opening tag is missing."""
_LONGEST_UNREADABLE = 300
"""Characters within which tags without JSON between them are taken for an attempt at a call."""


class Hermes(Family):
    """See the module."""

    name = "hermes"
    openers = (OPENING, '{"name"', '{ "name"', '{\n  "name"')
    usage = f'{OPENING}\n{{"name": NAME, "arguments": {{...}}}}\n{CLOSING}'

    def read_calls(self, cursor: Cursor, tools: Mapping[str, Tool]) -> list[ToolCall]:
        if cursor.sees("{"):
            return _read_unopened(cursor, tools)
        cursor.expect(OPENING)
        cursor.skip_space()
        start = cursor.at
        try:
            calls = read_calls(cursor)
        except Mismatch:
            return _skip_unreadable(cursor, start)
        except Ended:
            closing = cursor.text.find(CLOSING, start)
            if closing < 0 or not cursor.is_final:
                raise
            calls = _read_closed(Cursor(cursor.text[:closing], start, is_final=True))
            cursor.at = closing
        cursor.close(CLOSING, calls)
        return calls

    def render_call(self, call: ToolCall) -> str:
        return f"{OPENING}\n{dump({'name': call.name, 'arguments': call.arguments})}\n{CLOSING}"

    def render_result(self, name: str, text: str) -> str:
        return f"<tool_response>\n{text}\n</tool_response>"


def _skip_unreadable(cursor: Cursor, start: int) -> list[ToolCall]:
    """Go behind the closing tag of what is between tags and yet no call."""
    closing = cursor.text.find(CLOSING, start, start + _LONGEST_UNREADABLE)
    if closing >= 0:
        cursor.at = closing + len(CLOSING)
        return []
    if cursor.is_final or len(cursor.text) - start > _LONGEST_UNREADABLE:
        raise Mismatch
    raise Ended


def _read_closed(cursor: Cursor) -> list[ToolCall]:
    """Read calls of which a bracket or a quote is missing before the closing tag."""
    try:
        return read_calls(cursor)
    except Ended as ended:
        return list(ended.calls)


def _read_unopened(cursor: Cursor, tools: Mapping[str, Tool]) -> list[ToolCall]:
    """Read a call without opening tag; the closing one tells it from other JSON."""
    name = _NAME.match(cursor.text, cursor.at)
    if name is None and len(cursor.text) - cursor.at > _LONGEST_HEAD:
        raise Mismatch
    if name is not None and unwrapped(name[1], tools) not in tools:
        raise Mismatch
    try:
        calls = read_calls(cursor)
        cursor.skip_space()
        cursor.expect(CLOSING)
    except Ended as ended:
        raise Mismatch if cursor.is_final else Ended from ended
    return calls
