"""A paragraph that streams in: its first rows stay as soon as nothing can change them any more.

Emphasis that is opened may be closed much later, so the open text is parsed anew with each frame.
To bound that, text is cut at a blank where both sides parse on their own to what they are together.
"""

from __future__ import annotations

from rich.text import Text

from minime_terminal.markdown.inline import Run, inline_runs
from minime_terminal.painter import Painter

SOFT = 4
"""Rows of open text above which a place to cut is looked for: a few rows are all that a screen that
is resized meanwhile may have to forget."""
HARD = 1500
"""Characters of open text above which it is cut anywhere."""
TRIES = 6
"""Places that are tried, from the end."""


class Paragraph:
    """The text of one paragraph, clean, in pieces of any size."""

    def __init__(self, painter: Painter) -> None:
        self._painter = painter
        self._begun = Text()
        """The row that is cut last, as it is parsed; more text follows it."""
        self._open = ""

    @property
    def header(self) -> str:
        """The whole paragraph when it can be the header of a table, else ""."""
        is_one = self._open.count("\n") == 1 and self._open.endswith("\n")
        return self._open if is_one and "|" in self._open and not self._begun else ""

    def add(self, text: str) -> None:
        self._open += text

    def finished(self) -> list[str]:
        """Return the rows that nothing can change any more, once."""
        rows: list[str] = []
        while len(self._open) > self._soft and (cut := self._cut()):
            text = self._text(self._open[:cut])
            self._open = self._open[cut:]
            wrapped = self._wrapped(text)
            if text.plain.endswith("\n"):
                rows += self._rows(wrapped)
                self._begun = Text()
            else:
                rows += self._rows(wrapped[:-1])
                self._begun = wrapped[-1]
                self._begun.rstrip()
                if text.plain.endswith(" "):
                    self._begun.append(" ")
        return rows

    def rows(self) -> list[str]:
        """Return the rows of the rest as it is now."""
        return self._rows(self._wrapped(self._text(self._open.rstrip("\n"))))

    @property
    def _soft(self) -> int:
        return SOFT * self._painter.width

    def _text(self, source: str) -> Text:
        return Text.assemble(self._begun, *inline_runs(source, self._painter))

    def _wrapped(self, text: Text) -> list[Text]:
        return list(text.wrap(self._painter.console, self._painter.width, overflow="fold"))

    def _rows(self, lines: list[Text]) -> list[str]:
        return [row for line in lines for row in self._painter.long_rows(line)]

    def _cut(self) -> int:
        """Return where the open text can be cut, 0 when nowhere yet."""
        text, whole = self._open, inline_runs(self._open, self._painter)
        place = len(text) - self._painter.width
        for _ in range(TRIES):
            place = max(text.rfind(" ", 0, place), text.rfind("\n", 0, place))
            if place <= 0:
                break
            sides = (text[: place + 1], text[place + 1 :])
            if _joined(*(inline_runs(side, self._painter) for side in sides)) == whole:
                return place + 1
        if len(text) <= HARD:
            return 0
        return max(text.rfind(" ", 0, HARD), text.rfind("\n", 0, HARD)) + 1 or HARD


def _joined(first: list[Run], second: list[Run]) -> list[Run]:
    if first and second and first[-1][1] == second[0][1]:
        return [*first[:-1], (first[-1][0] + second[0][0], first[-1][1]), *second[1:]]
    return [*first, *second]
