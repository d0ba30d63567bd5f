"""Tells a stream of text that has begun to repeat one piece for ever.

Real texts repeat too: table rows, list items, rules, refrains, base64, equal lines of data. What
tells a runaway is how long the very same piece follows itself, and where: a model has no reason to
write a line sixteen times into its thoughts, but may write it fifty times into a file.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from minime_guards.code_spans import CodeSpans

MAX_PERIOD = 256
"""Longest repeated piece in characters."""
MIN_PERIOD = 4
"""Shorter pieces are runs, such as `-----` or `0, 0, 0`: they need `RUN` characters."""
REPEATS = 16
"""How often a piece has to follow itself, at least."""
PROSE, THOUGHTS, LINE, RUN, DATA = 224, 128, 1024, 4096, 8192
"""Characters of repetition that are too many: of whole lines in prose and in thoughts, of pieces
within a line, of runs, and in data: arguments, code and tables."""

_PROBE = 64
"""Characters whose last occurrence gives the period."""
_STEP, _LATER_STEP = 16, 64
"""Characters between two looks, in a short text and in a long one."""
_KEPT = max(DATA, RUN, MAX_PERIOD * REPEATS)
_ROW = re.compile(r"\s*(?:\||$)", re.MULTILINE)

Limit = Callable[[str], int]


class Repetition:
    """Watches one stream. The cost grows with its length alone.

    limit: gives, for a piece that repeats, the characters of repetition that are too many.
    """

    def __init__(self, limit: Limit) -> None:
        self._limit = limit
        self._tail = ""
        self._new: list[str] = []
        self._waiting = 0

    def is_endless(self, piece: str) -> bool:
        """Return whether the stream, after `piece`, is nothing but repetition any more."""
        self._new.append(piece)
        self._waiting += len(piece)
        if self._waiting < (_STEP if len(self._tail) < LINE else _LATER_STEP):
            return False
        self._tail = (self._tail + "".join(self._new))[-_KEPT:]
        self._new, self._waiting = [], 0
        return self._ends_in_repetition()

    def _ends_in_repetition(self) -> bool:
        tail = self._tail
        window = tail[-(MAX_PERIOD + _PROBE) : -1]
        at = window.rfind(tail[-_PROBE:])
        if at < 0 or len(tail) < THOUGHTS:
            return False
        period = len(window) + 1 - at - _PROBE
        length = max(self._limit(tail[-period:]), REPEATS * period)
        if length > len(tail):
            return False
        repeated = tail[-length:]
        return repeated[period:] == repeated[:-period]


def thoughts_limit(piece: str) -> int:
    """Return the characters of repetition of `piece` that are too many in thoughts."""
    if "\n" in piece and not piece.isspace():
        return THOUGHTS
    return LINE if len(piece) >= MIN_PERIOD else RUN


def data_limit(piece: str) -> int:
    """Return the characters of repetition that are too many in data."""
    return DATA


class Prose:
    """Knows where in an answer's text it is, to tell the limit there."""

    def __init__(self) -> None:
        self._spans = CodeSpans()
        self._unread: list[str] = []
        self._is_json: bool | None = None

    def read(self, piece: str) -> None:
        """Go on behind `piece`."""
        self._unread.append(piece)

    def limit(self, piece: str) -> int:
        """Return the characters of repetition of `piece` that are too many here."""
        self._look()
        if self._is_json or self._spans.is_code or _is_rows(piece):
            return DATA
        if "\n" in piece and not piece.isspace():
            return PROSE
        return LINE if len(piece) >= MIN_PERIOD else RUN

    def _look(self) -> None:
        text = "".join(self._unread)
        # A run of backticks may go on.
        cut = len(text.rstrip("`~"))
        self._unread = [text[cut:]]
        if self._is_json is None and text.strip():
            self._is_json = text.lstrip()[0] in "{["
        self._spans.read(text[:cut])


def _is_rows(piece: str) -> bool:
    """Return whether each line of `piece`, which may begin in the middle of one, is of a table."""
    lines = (piece + piece).split("\n")[1:-1]
    return "|" in piece and bool(lines) and all(map(_ROW.match, lines))
