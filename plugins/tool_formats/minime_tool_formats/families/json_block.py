"""JSON without any tag, fenced or not, as the whole answer.

    {"name": "read_file", "arguments": {"path": "a.txt"}}

With any of the keys in `json_calls`, one object, several, or a list of them. All names have to be
those of known tools: any other JSON is what the user asked for. Models write it that were told to
use tools by a prompt alone, and Llama 3 whatever it is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from minime_core.messages import ToolCall
from minime_core.tools import Tool
from minime_tool_formats.cursor import Cursor, Ended, Mismatch
from minime_tool_formats.family import Family
from minime_tool_formats.json_calls import ARGUMENTS, NAMES, WRAPPERS, read_calls
from minime_tool_formats.json_text import dump
from minime_tool_formats.names import unwrapped

FENCE = "```"
_FENCE_LINE = re.compile(r"```(?:json|tool_call|tool)?[ \t]*(?:\r?\n\s*|(?=[{\[]))")
_LONGEST_FENCE_LINE = 20
_FIRST_KEY = re.compile(r'\[?\s*\{\s*"([^"]*)"\s*:\s*(?:"([^"]*)")?')
_CUT_BEFORE_KEY = re.compile(r'\[?\s*(?:\{\s*(?:"[^"]{0,20}(?:"\s*)?)?)?')
_FIRST_KEYS = frozenset((*NAMES, *ARGUMENTS, *WRAPPERS, "type"))


class JsonBlock(Family):
    """See the module."""

    name = "json_block"
    heads = ("{", "[", FENCE)
    usage = '{"name": NAME, "arguments": {...}}\nand nothing before or after it'

    def read_calls(self, cursor: Cursor, tools: Mapping[str, Tool]) -> list[ToolCall]:
        is_fenced = cursor.sees(FENCE)
        if is_fenced:
            _skip_fence_line(cursor)
        _expect_call(cursor, tools)
        try:
            calls = read_calls(cursor, is_strict=True)
        except Ended as ended:
            if cursor.is_final and not ended.calls:
                raise Mismatch from ended
            _expect_known(ended.calls, tools)
            raise
        if not calls:
            raise Mismatch
        _expect_known(calls, tools)
        if is_fenced:
            cursor.close(FENCE, calls)
        cursor.skip_space()
        if not cursor.is_at_end:
            raise Mismatch
        if not cursor.is_final:
            raise Ended
        return calls

    def render_call(self, call: ToolCall) -> str:
        return dump({"name": call.name, "arguments": call.arguments})

    def render_result(self, name: str, text: str) -> str:
        return f"[result of {name}]\n{text}"


def _skip_fence_line(cursor: Cursor) -> None:
    line = _FENCE_LINE.match(cursor.text, cursor.at)
    if line is not None:
        cursor.at = line.end()
        return
    rest = cursor.text[cursor.at : cursor.at + _LONGEST_FENCE_LINE]
    if "\n" in rest or len(rest) == _LONGEST_FENCE_LINE or cursor.is_final:
        raise Mismatch
    raise Ended


def _expect_call(cursor: Cursor, tools: Mapping[str, Tool]) -> None:
    """Raise Mismatch as soon as the first key tells that this is other JSON, Ended before that."""
    first = _FIRST_KEY.match(cursor.text, cursor.at)
    if first is None:
        is_cut = _CUT_BEFORE_KEY.fullmatch(cursor.text, cursor.at)
        raise Ended if is_cut and not cursor.is_final else Mismatch
    key, value = first[1], first[2]
    if key not in _FIRST_KEYS:
        raise Mismatch
    if value is not None and key not in ARGUMENTS:
        is_known = value == "function" if key == "type" else unwrapped(value, tools) in tools
        if not is_known:
            raise Mismatch


def _expect_known(calls: Iterable[ToolCall], tools: Mapping[str, Tool]) -> None:
    if any(unwrapped(call.name, tools) not in tools for call in calls):
        raise Mismatch
