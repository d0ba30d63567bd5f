"""From one edit, `old` and `new`, to the replacement that it means in the file."""

from __future__ import annotations

from dataclasses import dataclass, replace

from . import problems
from .document import BLANKS, Document, is_blank, normalise
from .markers import Unmarked, without_markers
from .matching import BOM, Found, Match, Pass, locate, locate_lines, stands_at
from .nearest import Nearest, nearest
from .problems import Problem
from .rewriting import IndentationLost, Replacement, is_relative, rewrite

_TELLING_LENGTH = 8
"""Characters from which a single line that is there is no mere coincidence."""


@dataclass(frozen=True)
class Resolved:
    """An edit with its place in the file."""

    number: int
    """Its place in the call, from 1."""
    found_by: Pass
    first_line: int
    last_line: int
    """The lines in the original text, from 1."""
    replacement: Replacement
    notes: tuple[str, ...] = ()
    """What the model should know about it, such as `edit 2 matched ignoring indentation`."""


def resolve(document: Document, number: int, old: str, new: str) -> Resolved:
    """Find the one place that `old` means.

    :param number: the number of the edit, for the notes
    :raises Problem: if there is not exactly one
    """
    if old == new:
        raise problems.nothing_to_change()
    if not old and not document.text:
        return Resolved(number, Pass.EXACT, 1, 1, Replacement(0, 0, new))
    if not old:
        raise problems.empty_old()
    if _is_blank_text(old):
        raise problems.blank_old()
    found = locate(document, old)
    if found.matches:
        match = _as_whole_line(document, _only(document, found), old, new)
        if old.startswith(BOM) and match.found_by != Pass.EXACT:
            new = new.removeprefix(BOM)
        return _resolved(document, number, match, new, _notes(document, number, match, new))
    readings = list(without_markers(old.removeprefix(BOM), new.removeprefix(BOM)))
    chosen = _read_without_markers(document, readings)
    if chosen is None:
        raise _not_found(document, readings[0].old if readings else old, new, found)
    reading, match = chosen
    if reading.new is None:
        raise problems.half_marked(reading.removed)
    notes = (
        f"edit {number} matched without the {reading.removed} in `old`",
        *_notes(document, number, match, reading.new),
    )
    return _resolved(document, number, match, reading.new, notes)


def _resolved(
    document: Document, number: int, match: Match, new: str, notes: tuple[str, ...]
) -> Resolved:
    try:
        replacement = rewrite(document, match, new)
    except IndentationLost:
        raise problems.indentation_lost(document, match) from None
    if document.text[replacement.start : replacement.end] == replacement.text:
        raise problems.nothing_to_change()
    return Resolved(number, match.found_by, match.first + 1, match.last + 1, replacement, notes)


def _is_blank_text(text: str) -> bool:
    return not text.strip(BLANKS + "\r\n" + BOM)


def _as_whole_line(document: Document, match: Match, old: str, new: str) -> Match:
    """Return the match of the line, if `old` is this one line but for its indentation.

    That matters where `new` has several lines, which then lack this indentation too.
    """
    base = document.text[document.starts[match.first] : match.start]
    one_line = match.first == match.last and match.old_lines[0][:1] not in BLANKS
    if not (base and one_line and _covers_lines(document, match)):
        return match
    if not is_relative(normalise(new).split("\n"), base):
        return match
    lines = locate_lines(document, old).matches
    return next((line for line in lines if line.overlaps(match)), match)


def _only(document: Document, found: Found) -> Match:
    if len(found.matches) > 1 or found.more:
        raise problems.ambiguous(document, found)
    return found.matches[0]


def _read_without_markers(
    document: Document, readings: list[Unmarked]
) -> tuple[Unmarked, Match] | None:
    """Return the reading that fits best, and where.

    :raises Problem: if a reading fits several places, or two readings fit two places
    """
    fitting: list[tuple[Unmarked, Match]] = []
    for reading in readings:
        if _is_blank_text(reading.old):
            continue
        found = locate_lines(document, reading.old)
        if not found.matches:
            continue
        match = _only(document, found)
        line = _first_text_line(document, match)
        if reading.line is not None and reading.line - 1 != line:
            if reading.doubtful:
                continue
            if stands_at(document, reading.old, reading.line - 1):
                there = replace(match, first=reading.line - 1)
                raise problems.ambiguous(document, Found([match, there]))
        if reading.line is None and reading.doubtful and "indentation" in match.ignored:
            continue
        fitting.append((reading, match))
    if not fitting:
        return None
    best = min(fitting, key=lambda pair: pair[1].found_by)
    elsewhere = [match for _, match in fitting if not match.overlaps(best[1])]
    if elsewhere:
        raise problems.ambiguous(document, Found([best[1], *elsewhere]))
    return best


def _first_text_line(document: Document, match: Match) -> int:
    return next(
        (line for line in range(match.first, match.last) if document.stripped[line]), match.last
    )


def _not_found(document: Document, old: str, new: str, found: Found) -> Problem:
    near = nearest(document, old)
    there = _already_there(document, new, near)
    if there:
        return problems.already_applied(there)
    if found.misnested:
        return problems.misnested(document, found.misnested)
    return problems.not_found(document, near)


def _already_there(document: Document, new: str, near: Nearest | None) -> Match | None:
    """Return where `new` is, if that explains why `old` is not found."""
    if _is_blank_text(new):
        return None
    found = locate(document, new)
    if len(found.matches) != 1 or found.more:
        return None
    match = found.matches[0]
    if near is None:
        piece = match.block is None and not _covers_lines(document, match)
        trivial = match.first == match.last and len(new.strip()) < _TELLING_LENGTH
        return None if piece or trivial else match
    # Lines of `old` that still stand outside of `new` show that the edit was not made.
    return match if near.paired <= set(range(match.first, match.last + 1)) else None


def _covers_lines(document: Document, match: Match) -> bool:
    head = document.text[document.starts[match.first] : match.start]
    line_end = document.starts[match.last] + len(document.contents[match.last])
    return is_blank(head) and match.end >= line_end


def _notes(document: Document, number: int, match: Match, new: str) -> tuple[str, ...]:
    notes = []
    if match.ignored:
        what = match.ignored[0]
        if len(match.ignored) > 1:
            what = f"{', '.join(match.ignored[:-1])} and {match.ignored[-1]}"
        notes.append(f"edit {number} matched ignoring {what}")
    if match.block is None:
        notes += _warnings(document, number, match, normalise(new))
    return tuple(notes)


def _warnings(document: Document, number: int, match: Match, new: str) -> list[str]:
    """Point at what a literal replacement may do unintentionally."""
    warnings = []
    later = [line for line in new.split("\n")[1:] if not is_blank(line)]
    if (
        match.old_lines[-1] == ""
        and new
        and not new.endswith("\n")
        and match.end < len(document.text)
    ):
        warnings.append(
            f"edit {number}: `old` ended with a newline and `new` did not, "
            "so that two lines were joined"
        )
    if later and normalise(document.text[match.start : match.start + 2 * len(new)]).startswith(new):
        warnings.append(
            f"edit {number}: `new` was at line {match.first + 1} already, look for doubled lines"
        )
    return warnings
