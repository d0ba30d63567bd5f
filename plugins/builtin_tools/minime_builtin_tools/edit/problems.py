"""What the model is told about an edit that cannot be applied, and what it can do about it."""

from __future__ import annotations

from collections.abc import Sequence

from .diff import numbered
from .document import Document
from .matching import Found, Match
from .nearest import Nearest, invisible_difference

_MAX_PLACES = 5
"""Places of an ambiguous `old` that are listed."""

_MAX_CONTEXT = 10
"""Lines from a place within which a line that tells it from the others is searched."""

_MAX_SHOWN = 30
"""Lines of the file that are shown for copying."""

_MAX_HINTS = 3
"""Single differences that are named."""


class Problem(Exception):
    """An edit cannot be applied; the text is for the model."""

    def __init__(self, what: str, todo: str, lines: Sequence[str] = ()) -> None:
        """Keep what is wrong, what to do now, and lines of the file that help."""
        super().__init__(what)
        self.what = what
        self.todo = todo
        self.lines = list(lines)


def empty_old() -> Problem:
    """Say that `old` is empty and the file is not."""
    return Problem(
        "`old` is empty, but the file is not",
        "To insert text, copy the line next to the place into `old` and repeat it in `new` with "
        "the added lines. To replace the whole file, use write_file",
    )


def blank_old() -> Problem:
    """Say that `old` is nothing but white space."""
    return Problem("`old` is only white space", "Copy a line with text into `old`")


def nothing_to_change() -> Problem:
    """Say that `old` and `new` are equal, or make no difference in this file."""
    return Problem(
        "`old` and `new` are the same here, the file would not change",
        "Put the changed text into `new`. Line endings and the final newline stay as they are",
    )


def half_marked(removed: str) -> Problem:
    """Say that some lines of `new` carry line numbers or diff markers and others do not."""
    return Problem(f"only some lines of `new` carry {removed}", f"Send it without {removed}")


def ambiguous(document: Document, found: Found) -> Problem:
    """Say where `old` fits, and how to make it unique."""
    firsts = sorted({match.first for match in found.matches})
    shown = [str(first + 1) for first in firsts[:_MAX_PLACES]]
    if len(firsts) > _MAX_PLACES or found.more:
        count = f"{'at least ' if found.more else ''}{len(firsts)}"
        what = f"`old` fits {count} places, among them lines {', '.join(shown)}"
    elif len(firsts) == 1:
        what = f"`old` fits several places in line {shown[0]}"
    else:
        what = f"`old` fits lines {', '.join(shown[:-1])} and {shown[-1]}"
    matches = {match.first: match for match in found.matches}
    lines = _telling_lines(document, [matches[first] for first in firsts[:_MAX_PLACES]])
    if not lines:
        return Problem(what, "Add more of the text around the place to `old` and to `new`")
    return Problem(
        what,
        "Extend `old` and `new` up or down to the line that only the place you mean has:",
        lines,
    )


def _telling_lines(document: Document, matches: list[Match]) -> list[str]:
    """Return for each place the closest line that tells it from the others."""
    if len(matches) < 2:
        return []
    count = len(document.contents)
    for distance in range(1, _MAX_CONTEXT + 1):
        for places in (
            [match.first - distance for match in matches],
            [match.last + distance for match in matches],
        ):
            if all(0 <= place < count for place in places):
                contents = [document.contents[place] for place in places]
                if len(set(contents)) == len(contents):
                    return [numbered(*line) for line in zip(places, contents, strict=True)]
    return []


def overlapping(first: int, second: int, line: int) -> Problem:
    """Say that two edits change the same text.

    :param first: number of an edit, from 1; so is `second`
    :param line: index of the line where they meet
    """
    return Problem(
        f"edits {first} and {second} overlap at line {line + 1}",
        "Join them into one edit",
    )


def already_applied(match: Match) -> Problem:
    """Say that `new` is in the file and `old` is not."""
    return Problem(
        f"this edit is already applied: `old` is gone and `new` is at line {match.first + 1}",
        "Do not send it again",
    )


def misnested(document: Document, match: Match) -> Problem:
    """Say that the lines are there, but nest in another way than in `old`."""
    return Problem(
        f"`old` is at line {match.first + 1}, but its lines are indented in another way",
        _copy(),
        _lines_to_copy(document, range(match.first, match.last + 1)),
    )


def indentation_lost(document: Document, match: Match) -> Problem:
    """Say that without the indentation of `old` that of `new` cannot be told."""
    return Problem(
        f"`old` is at line {match.first + 1}, but it came without indentation",
        "Send `new` with indentation as well. " + _copy(),
        _lines_to_copy(document, range(match.first, match.last + 1)),
    )


def not_found(document: Document, near: Nearest | None) -> Problem:
    """Say that `old` is not in the file, and show the lines that come closest."""
    if near is None:
        return Problem(
            "`old` is not in the file, and no lines come near it",
            "Read the file and copy the lines from it",
        )
    equal = near.coinciding - len(near.mistyped)
    what = f"`old` is not in the file ({equal} of its {near.wanted} lines are)"
    hints = _hints(document, near)
    span = range(near.first, near.last + 1)
    if len(span) <= _MAX_SHOWN:
        return Problem(what, _copy(), [*_lines_to_copy(document, span), *hints])
    place = f"The closest lines are {near.first + 1} to {near.last + 1}"
    different = sorted({*near.mistyped, *near.extra})
    if not different and not near.absent:
        return Problem(what, f"{place}, but blank lines differ. Send a shorter `old`")
    around = sorted({n for d in different for n in (d - 1, d, d + 1) if n in span})
    return Problem(
        what,
        f"{place}. Correct `old` where they differ, without the numbers, or send a shorter one:",
        [*_lines_to_copy(document, around), *hints, *_absent(near)],
    )


def _copy() -> str:
    return "Copy these lines into `old`, without the numbers:"


def _lines_to_copy(document: Document, lines: Sequence[int]) -> list[str]:
    shown = [numbered(line, document.contents[line]) for line in lines[:_MAX_SHOWN]]
    if len(lines) > _MAX_SHOWN:
        shown.append(f"... {len(lines) - _MAX_SHOWN} more lines ...")
    return shown


def _hints(document: Document, near: Nearest) -> list[str]:
    hints = []
    for line, old in near.mistyped.items():
        name = invisible_difference(document.stripped[line], old)
        if name:
            hints.append(f"Line {line + 1} holds {name}, which `old` has in another form.")
    return hints[:_MAX_HINTS]


def _absent(near: Nearest) -> list[str]:
    shown = [str(line + 1) for line in near.absent[:_MAX_PLACES]]
    if not shown:
        return []
    more = "" if len(near.absent) <= _MAX_PLACES else " and others"
    return [f"Not there at all: line {', '.join(shown)}{more} of `old`."]
