"""What is on the screen: rows that stay, and below them the few rows that are still changing.

There is no full-screen mode: rows that stay scroll up and away as any program's output does. The
rows below fill at most half of the screen, are written again only where they differ, and cannot
wrap, so that it is always known how many there are, even when the screen has become half as wide.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from itertools import takewhile
from typing import TextIO

NO_WRAP, WRAP = "\x1b[?7l", "\x1b[?7h"
ERASE_BELOW = "\x1b[J"
REFLOWING = ("TMUX", "VTE_VERSION", "KITTY_WINDOW_ID", "WEZTERM_PANE", "ITERM_SESSION_ID")
"""Variables of terminals that wrap rows anew when the screen becomes narrower."""


class Screen:
    """Writes to a terminal, or to anything else when `is_live` is false: then nothing changes.

    size: tells the columns and lines of now.
    """

    def __init__(
        self,
        out: TextIO,
        *,
        is_live: bool,
        size: Callable[[], os.terminal_size],
        environ: Mapping[str, str] = os.environ,
    ) -> None:
        self._out = out
        self._is_live = is_live
        self._size = size
        self._reflows = any(environ.get(name) for name in REFLOWING)
        self._live: list[str] = []
        self._drawn_at = size().columns

    def draw(self, finished: Sequence[str] = (), live: Sequence[str] = ()) -> None:
        """Add `finished` rows to those that stay, and show `live` below instead of what was there.

        Rows hold styles but no other control sequence. Of too many live rows the last are shown.
        """
        shown = [*live[-max(self._size().lines // 2, 1) :]] if self._is_live else []
        is_resized = self._drawn_at != self._size().columns
        if not finished and shown == self._live and not is_resized:
            return
        rows = [*finished, *shown]
        keep = 0 if is_resized else self._standing(finished, shown)
        if shown and keep == len(rows):
            # The cursor belongs behind the last row.
            keep -= 1
        out = self._back_to(keep)
        for number, row in enumerate(rows[keep:], start=keep):
            if number < len(finished):
                out += f"{row}\n"
            else:
                out += f"{NO_WRAP}{row}{WRAP}" + ("\n" if number < len(rows) - 1 else "")
        self._live = shown
        self._drawn_at = self._size().columns
        self._write(out)

    def write(self, text: str) -> None:
        """Write `text` as it is, once nothing is live any more."""
        self.draw()
        self._write(text)

    def _standing(self, finished: Sequence[str], shown: Sequence[str]) -> int:
        """Return how many of the live rows need not be written again.

        The first rows that stay are often those that were live, letter by letter; but those that
        were cut at the edge have to wrap now.
        """
        fitting = takewhile(self._fits, finished)
        same = zip(self._live, fitting, strict=False)
        count = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], same))
        if count < len(finished):
            return count
        rest = zip(self._live[count:], shown, strict=False)
        return count + sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], rest))

    def _fits(self, row: str) -> bool:
        """Return whether a row is surely not wider than the screen; no character is over 2 wide."""
        return len(row) * (1 if row.isascii() else 2) <= self._drawn_at

    def _back_to(self, row: int) -> str:
        """Return what moves to the beginning of a live row, or of the one after, and erases.

        The cursor is behind the last live row; when there is none, where the next row begins.
        """
        if not self._live:
            return ""
        if row == len(self._live):
            return "\n"
        heights = [self._height(text) for text in self._live[row:]]
        up = sum(heights) - 1
        return (f"\x1b[{up}A" if up else "") + "\r" + ERASE_BELOW

    def _height(self, row: str) -> int:
        """Return how many rows of the screen a live row takes since the screen was resized."""
        columns = self._size().columns
        if not self._reflows or columns >= self._drawn_at:
            return 1
        from rich.text import Text

        cells = min(Text.from_ansi(row).cell_len, self._drawn_at)
        return max(-(-cells // max(columns, 1)), 1)

    def _write(self, text: str) -> None:
        if text:
            self._out.write(text)
            self._out.flush()
