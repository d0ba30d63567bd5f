"""Streams that are like a terminal's, and what a terminal would show of them."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterable

import pyte

STYLE = re.compile(r"\x1b\[[0-9;]*m")


class Out(io.StringIO):
    """A stream with an encoding, as a terminal has one."""

    def __init__(self, encoding: str = "utf-8") -> None:
        super().__init__()
        self._encoding = encoding

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._encoding


def plain(rows: Iterable[str]) -> list[str]:
    """Return rows without their styles."""
    return [STYLE.sub("", row) for row in rows]


class Tube(io.StringIO):
    """A terminal's screen behind a stream, with what scrolled off it."""

    def __init__(self, columns: int = 40, lines: int = 10) -> None:
        super().__init__()
        self.screen = pyte.HistoryScreen(columns, lines, history=100_000)
        self._stream = pyte.Stream(self.screen)
        self.size = os.terminal_size((columns, lines))
        self.written: list[str] = []

    def write(self, text: str) -> int:
        self.written.append(text)
        # The terminal's driver makes a carriage return of each newline.
        self._stream.feed(text.replace("\n", "\r\n"))
        return len(text)

    def resize(self, columns: int, lines: int) -> None:
        self.size = os.terminal_size((columns, lines))
        self.screen.resize(lines, columns)

    def rows(self) -> list[str]:
        """Return all rows from the first one, without blanks at their ends."""
        above = [
            "".join(row[column].data for column in range(self.screen.columns))
            for row in self.screen.history.top
        ]
        return [row.rstrip() for row in [*above, *self.screen.display]]
