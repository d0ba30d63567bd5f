"""Parameters between tags: `<parameter=path>a.txt</parameter>` and its like."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from minime_core.messages import ToolCall
from minime_tool_formats.cursor import Cursor, Ended, Mismatch
from minime_tool_formats.json_text import cut_object
from minime_tool_formats.schema_values import convert, property_schema

_SPACE = re.compile(r"\s*")
LONGEST_TAG = 200
"""Characters within which what stands before a value is expected to be whole."""


@dataclass(frozen=True, slots=True)
class Markup:
    """How a family marks parameters.

    beginning: how what stands before a value begins.
    opening: all of what stands before a value; its first group is the key.
    closing: what stands behind a value.
    ending: what stands behind all parameters.
    has_lines: whether a value stands on lines of its own, so that one line end before and behind
        it are not part of it.
    """

    beginning: str
    opening: re.Pattern[str]
    closing: str
    ending: str
    has_lines: bool = False

    def goes_on(self, text: str, at: int) -> bool | None:
        """Return whether a parameter or the ending stands at `at`; None for not yet known."""
        if text.startswith(self.ending, at) or self.opening.match(text, at):
            return True
        rest = text[at : at + LONGEST_TAG]
        is_cut = self.ending.startswith(rest) or self.beginning.startswith(rest)
        if is_cut or (len(rest) < LONGEST_TAG and rest.startswith(self.beginning)):
            return None
        return False

    def value(self, written: str) -> str:
        """Return what is written between the tags, without the line ends that set it off."""
        return written.removeprefix("\n").removesuffix("\n") if self.has_lines else written


def read_parameters(
    cursor: Cursor, markup: Markup, name: str, schema: Mapping[str, Any]
) -> ToolCall:
    """Read the parameters of a call of tool `name`, and go behind their ending.

    Values are converted by `schema`. Raises Mismatch, Ended.
    """
    arguments: dict[str, object] = {}
    while True:
        cursor.skip_space()
        if markup.goes_on(cursor.text, cursor.at) is None:
            raise Ended([_cut(name, cut_object(arguments))])
        if cursor.accept(markup.ending):
            return ToolCall(name=name, arguments=arguments)
        opening = markup.opening.match(cursor.text, cursor.at)
        if opening is None:
            raise Mismatch
        key, start = opening[1].strip(), opening.end()
        end, is_certain = _value_end(cursor.text, start, markup)
        if end < 0:
            written = markup.value(cursor.text[start:])
            raise Ended([_cut(name, cut_object(arguments, key, written))])
        if not (is_certain or cursor.is_final):
            raise Ended
        value = markup.value(cursor.text[start:end])
        arguments[key] = convert(value, property_schema(schema, key))
        cursor.at = end
        if cursor.sees(markup.closing):
            cursor.at += len(markup.closing)


def _value_end(text: str, start: int, markup: Markup) -> tuple[int, bool]:
    """Return where a value ends, -1 when it does not, and whether no more text can change that.

    Files that are written may hold the closing tag themselves: the one counts that is followed by
    another parameter or by the ending.
    """
    end = text.find(markup.closing, start)
    while end >= 0:
        space = _SPACE.match(text, end + len(markup.closing))
        assert space is not None
        goes_on = markup.goes_on(text, space.end())
        if goes_on is not False:
            return end, goes_on is True
        end = text.find(markup.closing, end + 1)
    # Some models forget to close the last value.
    return text.find(markup.ending, start), False


def _cut(name: str, written: str) -> ToolCall:
    """Return a call whose arguments are left as JSON that was cut where the text was."""
    return ToolCall(name=name, arguments={}, raw=written)
