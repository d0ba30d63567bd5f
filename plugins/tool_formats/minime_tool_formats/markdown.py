"""Where code is in a Markdown text that is read from its beginning, piece by piece.

Fenced blocks as CommonMark has them, indented as far as models like. Inline code is closed on the
line on which it was opened: a lone backtick in prose must not hide what follows on other lines.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

MARK = re.compile(r"`+|~+")
"""What may open or close code."""
FENCE = 3
"""Fewest backticks or tildes of a fence."""

_REST_IS_BLANK = re.compile(r"[ \t]*(\r?\n|\Z)")
_QUOTES = frozenset(
    "`'\""
    "\N{LEFT SINGLE QUOTATION MARK}"
    "\N{LEFT DOUBLE QUOTATION MARK}"
    "\N{LEFT-POINTING DOUBLE ANGLE QUOTATION MARK}"
)


@dataclass(frozen=True, slots=True)
class Place:
    """A position in a Markdown text.

    fence: what opened the block of code around it; empty outside of one.
    is_fence_line: whether it is on the line of that opening.
    run: how many backticks may have opened inline code on this line; 0 for none.
    is_line_start: whether nothing but white space stands before it on its line.
    last: the character before it.
    """

    fence: str = ""
    is_fence_line: bool = False
    run: int = 0
    is_line_start: bool = True
    last: str = ""

    @property
    def is_quoted(self) -> bool:
        """Whether a quotation mark stands directly before."""
        return self.last in _QUOTES

    def after(self, plain: str) -> Place:
        """Return the place behind `plain`, in which there is no `MARK`."""
        if not plain:
            return self
        _, line_end, line = plain.rpartition("\n")
        if not line_end:
            is_line_start = self.is_line_start and not line.strip()
            return replace(self, is_line_start=is_line_start, last=plain[-1])
        return Place(fence=self.fence, is_line_start=not line.strip(), last=plain[-1])

    def after_mark(self, mark: re.Match[str], *, is_final: bool) -> Place | None:
        """Return the place behind `mark`, None when that takes more text to know."""
        text, run = mark.string, mark[0]
        if mark.end() == len(text) and not is_final:
            return None
        if self.fence:
            closes = run.startswith(self.fence) and (self.is_line_start or self.is_fence_line)
            if closes and not self.is_fence_line:
                rest = _REST_IS_BLANK.match(text, mark.end())
                if rest is not None and not rest[1] and not is_final:
                    return None
                closes = rest is not None
            behind = Place() if closes else self
        elif self.is_line_start and len(run) >= FENCE:
            behind = Place(fence=run, is_fence_line=True)
        elif run[0] == "`" and self.run in (0, len(run)):
            behind = replace(self, run=0 if self.run else len(run))
        else:
            behind = self
        return replace(behind, is_line_start=False, last=run[-1])

    def is_in_code(self, text: str, at: int, *, is_final: bool) -> bool | None:
        """Return whether `at`, this place in `text`, is in code; None for not yet known."""
        if self.fence or not self.run:
            return bool(self.fence)
        line_end = text.find("\n", at)
        end = line_end if line_end >= 0 else len(text)
        for mark in MARK.finditer(text, at, end):
            if mark[0] == "`" * self.run:
                return True if is_final or mark.end() < len(text) else None
        return False if line_end >= 0 or is_final else None
