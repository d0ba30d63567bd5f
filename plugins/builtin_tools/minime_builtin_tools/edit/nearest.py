"""The lines of the file that come closest to an `old` that is not there."""

from __future__ import annotations

import unicodedata
from collections import Counter
from dataclasses import dataclass

from .alignment import align
from .document import BLANKS, Document
from .matching import Block

_SIMILAR = 70
"""Per cent of likeness (`rapidfuzz.fuzz.ratio`) from which a line is another one, mistyped."""

_MAX_OLD_LINES = 2_000
"""Lines of `old` that are compared; more are not needed to know the place."""

_MAX_LINE = 2_000
"""Characters of a line up to which likeness is measured."""

_MAX_VOTES = 300_000
"""Votes of equal lines for a place. The rarest lines vote first."""

_MAX_WINDOWS = 6
"""Places that are compared line by line."""

_MAX_MISTYPED = 200
"""Mistyped lines that are looked for in one place."""

_MAX_PROBES = 4
"""Lines of `old` that are searched by likeness if no equal line shows the place."""


@dataclass(frozen=True)
class Nearest:
    """The closest place."""

    first: int
    last: int
    """Indices of the first and the last line of the file."""
    coinciding: int
    """How many lines of `old` are there, mistyped at most."""
    wanted: int
    """Lines of `old` that are not blank."""
    paired: frozenset[int]
    """Lines of the file that coincide."""
    mistyped: dict[int, str]
    """Lines of the place that `old` has in another wording, and this wording."""
    extra: frozenset[int]
    """Lines of the place that `old` does not have."""
    absent: tuple[int, ...]
    """Lines of `old`, from 0 after its leading blank lines, that are not at the place."""


def nearest(document: Document, old: str) -> Nearest | None:
    """Return the place where most lines of `old` are, None if fewer than half of them are."""
    wanted = [line.strip(BLANKS) for line in Block.parse(old).core[:_MAX_OLD_LINES]]
    if not wanted:
        return None
    lines = document.stripped
    best: Nearest | None = None
    for start in _starts(lines, wanted):
        found = _compare(lines, wanted, start)
        if found and (best is None or found.coinciding > best.coinciding):
            best = found
    return best if best and 2 * best.coinciding >= best.wanted else None


def _starts(lines: list[str], wanted: list[str]) -> list[int]:
    """Return the lines where `wanted` may begin, the most likely first."""
    places: dict[str, list[int]] = {line: [] for line in wanted if line}
    for at, line in enumerate(lines):
        if line in places:
            places[line].append(at)
    votes: Counter[int] = Counter()
    left = _MAX_VOTES
    for index in sorted(range(len(wanted)), key=lambda i: len(places.get(wanted[i], ()))):
        found = places.get(wanted[index], [])
        left -= len(found)
        if left < 0:
            break
        votes.update(at - index for at in found)
    starts = [start for start, _ in votes.most_common(_MAX_WINDOWS)]
    if not starts or votes[starts[0]] * 2 < len(places):
        starts += _similar_starts(lines, wanted)
    return starts


def _similar_starts(lines: list[str], wanted: list[str]) -> list[int]:
    """Search the longest lines of `wanted` by likeness."""
    from rapidfuzz import fuzz, process

    probes = sorted(
        (i for i, line in enumerate(wanted) if 0 < len(line) <= _MAX_LINE),
        key=lambda i: -len(wanted[i]),
    )
    starts = []
    for index in probes[:_MAX_PROBES]:
        for _, _, at in process.extract(
            wanted[index], lines, scorer=fuzz.ratio, score_cutoff=_SIMILAR, limit=3
        ):
            starts.append(at - index)
    return starts


def _compare(lines: list[str], wanted: list[str], start: int) -> Nearest | None:
    slack = 3 + len(wanted) // 4
    low = max(0, start - slack)
    window = lines[low : max(0, start + len(wanted) + slack)]
    meant = _corrected(window, wanted)
    pairs = [(i, j) for tag, i, j in align(wanted, meant) if tag == "equal" and wanted[i]]
    if not pairs:
        return None
    (first_old, first), (last_old, last) = pairs[0], pairs[-1]
    first = max(0, first - first_old)
    last = min(len(window) - 1, last + len(wanted) - 1 - last_old)
    paired_old = {i for i, _ in pairs}
    paired = frozenset(low + j for _, j in pairs)
    return Nearest(
        first=low + first,
        last=low + last,
        coinciding=len(pairs),
        wanted=sum(1 for line in wanted if line),
        paired=paired,
        mistyped={low + j: wanted[i] for i, j in pairs if window[j] != wanted[i]},
        extra=frozenset(
            low + j for j in range(first, last + 1) if window[j] and low + j not in paired
        ),
        absent=tuple(i for i, line in enumerate(wanted) if line and i not in paired_old),
    )


def _corrected(window: list[str], wanted: list[str]) -> list[str]:
    """Return `window` with the lines that `wanted` has mistyped in the wording of `wanted`."""
    from rapidfuzz import fuzz, process

    there = set(window)
    missing = {line for line in wanted if 0 < len(line) <= _MAX_LINE} - there
    candidates = sorted(missing)[:_MAX_MISTYPED]
    known = set(wanted)
    corrected = list(window)
    left = 2 * _MAX_MISTYPED
    for at, line in enumerate(window):
        if candidates and left and line and line not in known and len(line) <= _MAX_LINE:
            left -= 1
            best = process.extractOne(line, candidates, scorer=fuzz.ratio, score_cutoff=_SIMILAR)
            corrected[at] = best[0] if best else line
    return corrected


def invisible_difference(file_line: str, old_line: str) -> str | None:
    """Name the character of the file that looks like another one in `old`; None if no such.

    A model that copies the line again would send the same wrong character again.
    """
    if file_line == old_line or _folded(file_line) != _folded(old_line):
        return None
    for character in file_line:
        if not character.isascii() and character not in old_line:
            return f"U+{ord(character):04X} {unicodedata.name(character, 'unnamed')}"
    return None


_PLAIN = str.maketrans("\u2018\u2019\u201c\u201d\u2011\u2013\u2014\u2212", "''\"\"----")
"""Typographic quotes and dashes, and what a keyboard has in their place."""


def _folded(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).translate(_PLAIN)
    return "".join(character for character in plain if unicodedata.category(character) != "Cf")
