"""The part of a file that a result has room for, by whole lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from minime_builtin_tools.edit.diff import numbered, shortened

MAX_LINE = 2_000
"""Characters of a line that are shown."""
_GAP = 100
"""Characters that are set aside for the line that says what is left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """Lines as they are shown.

    gap: first and last line that are left out, counted from 1; None when none is.
    cut: lines that are longer than shown.
    limit: characters of a line that are shown.
    """

    text: str
    gap: tuple[int, int] | None
    cut: tuple[int, ...]
    limit: int


def excerpt(
    lines: Sequence[str], first: int, last: int, *, room: int, is_numbered: bool
) -> Excerpt:
    """Return lines `first` to `last`, counted from 1, in at most `room` characters.

    Of what is too long the beginning is kept, and a shorter end.
    """
    limit = max(min(MAX_LINE, room // 4), 1)

    def render(numbers: Iterable[int]) -> Iterator[tuple[int, str]]:
        for number in numbers:
            line = lines[number - 1]
            if is_numbered:
                yield number, numbered(number - 1, line, limit=limit)
            else:
                yield number, shortened(line, limit)

    head = _fitting(render(range(first, last + 1)), room)
    gap = None
    pieces = [text for _, text in head]
    if len(head) < last - first + 1:
        tail = _fitting(render(range(last, first - 1, -1)), (room - _GAP) // 4)
        head = _fitting(iter(head), (room - _GAP) * 3 // 4)
        start, end = gap = (first + len(head), last - len(tail))
        left_out = f"[... lines {start}-{end} of {len(lines)} left out; next: start={start} ...]"
        pieces = [*(text for _, text in head), left_out, *(text for _, text in reversed(tail))]
        head += tail
    cut = tuple(sorted(number for number, _ in head if len(lines[number - 1]) > limit))
    return Excerpt(text="\n".join(pieces), gap=gap, cut=cut, limit=limit)


def _fitting(lines: Iterator[tuple[int, str]], room: int) -> list[tuple[int, str]]:
    """Return the first of `lines` that fit into `room` characters, newlines included."""
    taken = []
    for number, text in lines:
        room -= len(text) + 1
        if room < 0:
            break
        taken.append((number, text))
    return taken
