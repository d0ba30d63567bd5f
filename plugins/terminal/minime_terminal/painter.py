"""From styled text to rows for the screen: colours that the terminal has, at the width it has."""

from __future__ import annotations

import io
import os
from typing import TextIO

from rich.console import Console, ConsoleDimensions, RenderableType
from rich.text import Text

from minime_terminal.safe_text import safe_text
from minime_terminal.signs import Signs, signs_for

LINES = 25
"""Lines that rich takes the screen to have; nothing depends on it."""
MIN_WIDTH = 10
"""Columns below which rows are left to wrap as they will."""


class Painter:
    """Paints for one terminal.

    out: tells the encoding; nothing is written to it.
    """

    def __init__(self, out: TextIO) -> None:
        self._encoding = out.encoding or "utf-8"
        self.signs: Signs = signs_for(self._encoding)
        self.console = Console(
            file=io.StringIO(),
            force_terminal=True,
            legacy_windows=False,
            highlight=False,
            markup=False,
            emoji=False,
            width=80,
        )
        self.resize(80)

    @property
    def has_colour(self) -> bool:
        return self.console.color_system is not None and not self.console.no_color

    @property
    def has_unicode(self) -> bool:
        return self._encoding.lower().replace("-", "").startswith("utf")

    def resize(self, columns: int) -> None:
        """Wrap rows for a screen of `columns` from now on.

        The last column stays free: terminals differ in what they do after a character in it.
        """
        self.width = max(columns - 1, MIN_WIDTH)
        # rich wraps at its own width when it is told a larger one; on a dumb terminal it takes its
        # own to be 80 unless it knows both.
        self.console.size = ConsoleDimensions(self.width, LINES)

    def clean(self, text: str) -> str:
        """Return `text` of anybody as this terminal may have it; see `safe_text`."""
        text = safe_text(text)
        if not self.has_unicode:
            text = text.encode(self._encoding, "replace").decode(self._encoding)
        return text

    def rows(self, what: RenderableType, width: int | None = None) -> list[str]:
        """Return clean text, or anything that rich can render, as rows of at most `width`."""
        with self.console.capture() as capture:
            self.console.print(what, end="", width=width or self.width, overflow="fold")
        rows = capture.get()
        return (rows if isinstance(what, Text) else rows.removesuffix("\n")).split("\n")

    def strung(self, *parts: str | tuple[str, str], style: str = "") -> list[str]:
        """Return texts of anybody, or `(text, style)` pairs, with dots between them.

        They stand in as many rows as they need; a row ends between two of them where it can.

        style: of them all.
        """
        rows: list[str] = []
        line = Text(style=style)
        for part in parts:
            text, own = (part, "") if isinstance(part, str) else part
            piece = Text(self.clean(text).replace("\n", " "), own)
            dot = self.signs.dot if line else ""
            if dot and line.cell_len + len(dot) + piece.cell_len > self.width:
                rows += self.rows(line)
                line, dot = Text(style=style), ""
            line.append(dot).append_text(piece)
        return rows + self.rows(line)

    def long_rows(self, text: Text) -> list[str]:
        """Return clean text as rows that are as long as its lines; the terminal wraps them."""
        with self.console.capture() as capture:
            self.console.print(text, end="", soft_wrap=True)
        return capture.get().split("\n")

    def row(self, *parts: str | tuple[str, str]) -> str:
        """Return one row of text and `(text, style)` pairs, cleaned and cut to the width."""
        cleaned = [
            self.clean(part) if isinstance(part, str) else (self.clean(part[0]), part[1])
            for part in parts
        ]
        text = Text.assemble(*cleaned)
        # A newline in a name or a title would make rows of one.
        text.plain = text.plain.replace("\n", " ").replace("\t", " ")
        text.truncate(self.width, overflow="ellipsis" if self.has_unicode else "crop")
        return self.long_rows(text)[0]


def size_of(out: TextIO) -> os.terminal_size:
    """Return columns and lines of the terminal behind `out`, of a usual one when it tells none."""
    try:
        size = os.get_terminal_size(out.fileno())
    except (OSError, ValueError):
        return os.terminal_size((80, 24))
    return os.terminal_size((size.columns or 80, size.lines or 24))
