"""What the model thinks, dim: its last lines while it thinks, one line when it is done."""

from __future__ import annotations

import time
from collections.abc import Callable

from rich.text import Text

from minime_terminal import figures
from minime_terminal.painter import Painter
from minime_terminal.settings import Thoughts

LIVE_ROWS = 3


class ThoughtView:
    """The thinking of one turn, which may come in several pieces.

    mode: what is shown of it.
    clock: seconds.
    """

    def __init__(
        self, painter: Painter, mode: Thoughts, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._painter = painter
        self._mode = mode
        self._clock = clock
        self._thoughts: list[str] = []
        self._pieces: list[str] = []
        self._rest = ""
        self._begun = 0.0

    @property
    def text(self) -> str:
        """All thoughts of the turn, as the model wrote them."""
        return "\n\n".join([*self._thoughts, *filter(None, ["".join(self._pieces)])])

    def add(self, text: str) -> None:
        """Take a piece."""
        if not self._pieces:
            self._begun = self._clock()
        self._pieces.append(text)
        self._rest += text

    def finished(self) -> list[str]:
        """Return the rows that stay, once."""
        *lines, self._rest = self._rest.split("\n")
        if self._mode != "full":
            # Only the end is shown.
            self._rest = "\n".join([*lines[-LIVE_ROWS:], self._rest])[-self._shown :]
            return []
        return [row for line in lines for row in self._rows(line)]

    def live_rows(self) -> list[str]:
        """Return the last rows of what is being thought, after `finished`."""
        if self._mode == "hidden" or not self._rest.strip():
            return []
        return self._rows(self._rest[-self._shown :].strip("\n"))[-LIVE_ROWS:]

    def close(self) -> list[str]:
        """Return what stays of the thoughts that are over."""
        if not self._pieces:
            return []
        text = "".join(self._pieces)
        rows = self.finished()
        rest = self._rest
        self._pieces, self._rest = [], ""
        if not text.strip():
            return []
        self._thoughts.append(text)
        if self._mode == "full":
            return [*rows, *(self._rows(rest) if rest.strip() else [])]
        if self._mode == "hidden":
            return []
        took = figures.seconds(self._clock() - self._begun)
        words = figures.counted(len(text.split()), "word")
        sign = self._painter.signs.thought
        return self._painter.rows(Text(f"{sign} thought for {took}, {words} (/thoughts)", "dim"))

    def retract(self) -> None:
        """Forget what is being thought."""
        self._pieces, self._rest = [], ""

    @property
    def _shown(self) -> int:
        return self._painter.width * (LIVE_ROWS + 1)

    def _rows(self, text: str) -> list[str]:
        return self._painter.rows(Text(self._painter.clean(text).expandtabs(4), "dim italic"))
