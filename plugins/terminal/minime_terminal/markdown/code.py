"""Code, highlighted as its lines come in: each line once, whatever the length of the whole."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Sequence
from functools import cache

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import (
    Comment,
    Generic,
    Keyword,
    Literal,
    Name,
    Number,
    Operator,
    String,
    Token,
    _TokenType,
)
from pygments.util import ClassNotFound
from rich.text import Text

LEAD = 20
"""Lines before the new ones that the lexer sees again, to know what it is in."""
MAX_LINE = 400
"""Characters of a line above which code is not highlighted: lexers can be slow on long ones."""
MAX_SECONDS = 0.25
"""Seconds of one step after which the rest of a block is not highlighted."""

# The sixteen colours of the terminal's own palette, which suit its background.
_STYLES = {
    Comment: "dim italic",
    Keyword: "magenta",
    Operator.Word: "magenta",
    Name.Builtin: "cyan",
    Name.Decorator: "cyan",
    Name.Function: "blue",
    Name.Class: "blue",
    Name.Tag: "blue",
    Name.Attribute: "cyan",
    String: "green",
    Number: "cyan",
    Literal: "cyan",
    Generic.Inserted: "green",
    Generic.Deleted: "red",
    Generic.Heading: "bold",
    Generic.Subheading: "magenta",
}


class Highlighter:
    """Highlights one block of code, line by line.

    language: as the fence of a code block names it; an unknown one is shown plainly.
    """

    def __init__(self, language: str) -> None:
        self._lexer = _lexer(language)
        self._lead: deque[str] = deque(maxlen=LEAD)

    def text(self, lines: Sequence[str]) -> Text:
        """Return the next lines, which are clean and without their ends, as one text."""
        if any(len(line) > MAX_LINE for line in lines):
            self._lexer = None
        if self._lexer is None:
            return Text("\n".join(lines))
        start = time.perf_counter()
        source = "\n".join([*self._lead, *lines]) + "\n"
        runs = _after_lines(_runs(self._lexer, source), len(self._lead))
        text = Text.assemble(*runs)
        text.right_crop(1)
        if time.perf_counter() - start > MAX_SECONDS:
            self._lexer = None
        self._lead.extend(lines)
        return text


def _lexer(language: str) -> Lexer | None:
    try:
        # The source is taken as it is, so that lines stay where they are.
        return get_lexer_by_name(language, stripnl=False, ensurenl=False) if language else None
    except ClassNotFound:
        return None


def _runs(lexer: Lexer, source: str) -> Iterator[tuple[str, str]]:
    for kind, text in lexer.get_tokens(source):
        yield text, _style(kind)


def _after_lines(runs: Iterator[tuple[str, str]], count: int) -> Iterator[tuple[str, str]]:
    """Yield the runs behind the first `count` lines."""
    for text, style in runs:
        if count == 0:
            yield text, style
            continue
        newlines = text.count("\n")
        if newlines >= count:
            yield text.split("\n", count)[count], style
        count = max(count - newlines, 0)


@cache
def _style(kind: _TokenType) -> str:
    while kind is not Token:
        if kind in _STYLES:
            return _STYLES[kind]
        kind = kind.parent or Token
    return ""
