"""A short numbered diff of an edit, as the model and the user see it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from .alignment import align
from .document import Document
from .rewriting import Replacement

CONTEXT = 2
"""Unchanged lines shown around a change."""

MAX_DIFF_LINES = 60
"""Lines of a diff; of a longer one, the beginning and the end are shown."""

MAX_LINE = 200
"""Characters shown of a line."""

_GAP = "..."


@dataclass(frozen=True)
class _Row:
    sign: str
    number: int
    """Index of the line in the new text (not shown for a removed line)."""
    content: str

    def __str__(self) -> str:
        if self.sign == "-":
            return f"-     →{shortened(self.content)}"
        return numbered(self.number, self.content, self.sign)


@dataclass
class _Hunk:
    """Neighbouring replacements and the whole lines that they touch, by index in the old text."""

    first: int
    stop: int
    replacements: list[Replacement] = field(default_factory=list)


def numbered(line: int, content: str, sign: str = " ", limit: int = MAX_LINE) -> str:
    """Return a line of the file for the model, with its number from 1: `  12→code`."""
    return f"{sign}{line + 1:>5}→{shortened(content, limit)}"


def shortened(content: str, limit: int = MAX_LINE) -> str:
    """Return `content` cut to `limit` characters, the cut stated."""
    if len(content) <= limit:
        return content
    return f"{content[:limit]}… (+{len(content) - limit} characters)"


def render_diff(document: Document, replacements: Sequence[Replacement]) -> str:
    """Return the diff that `replacements` make, with line numbers of the new text.

    :param replacements: in the order of the file, without overlap
    """
    shown: list[str] = []
    shift = 0
    for hunk in _hunks(document, replacements):
        if shown:
            shown.append(_GAP)
        removed = document.contents[hunk.first : hunk.stop]
        added = Document(_new_text(document, hunk)).contents
        rows = _context(document, hunk.first - CONTEXT, hunk.first, shift)
        rows += _changes(removed, added, hunk.first + shift)
        shift += len(added) - len(removed)
        rows += _context(document, hunk.stop, hunk.stop + CONTEXT, shift)
        shown += _near_changes(rows)
    return "\n".join(_bounded(shown))


def _hunks(document: Document, replacements: Sequence[Replacement]) -> list[_Hunk]:
    hunks: list[_Hunk] = []
    count = len(document.contents)
    for replacement in replacements:
        first = document.line_at(replacement.start)
        stop = document.line_at(max(replacement.start, replacement.end - 1)) + 1 if count else 0
        # What replaces a line together with its ending may be joined with the next line.
        if stop < count and replacement.end == document.starts[stop]:
            stop += 1
        if hunks and first <= hunks[-1].stop + 2 * CONTEXT:
            hunks[-1].stop = max(hunks[-1].stop, stop)
        else:
            hunks.append(_Hunk(first, stop))
        hunks[-1].replacements.append(replacement)
    return hunks


def _new_text(document: Document, hunk: _Hunk) -> str:
    position, end = document.starts[hunk.first], document.starts[hunk.stop]
    pieces: list[str] = []
    for replacement in hunk.replacements:
        pieces += (document.text[position : replacement.start], replacement.text)
        position = replacement.end
    return "".join([*pieces, document.text[position:end]])


def _context(document: Document, first: int, stop: int, shift: int) -> list[_Row]:
    first = max(0, first)
    return [
        _Row(" ", line + shift, content)
        for line, content in enumerate(document.contents[first:stop], first)
    ]


def _changes(removed: list[str], added: list[str], first: int) -> list[_Row]:
    """Return the rows of a hunk; of lines that change together, the removed ones come first."""
    rows: list[_Row] = []
    fresh: list[_Row] = []
    for tag, i, j in align(removed, added):
        if tag == "equal":
            rows += [*fresh, _Row(" ", first + j, added[j])]
            fresh = []
            continue
        if tag != "insert":
            rows.append(_Row("-", first + j, removed[i]))
        if tag != "delete":
            fresh.append(_Row("+", first + j, added[j]))
    return rows + fresh


def _near_changes(rows: list[_Row]) -> list[str]:
    """Leave out the unchanged lines that are further than `CONTEXT` from a change."""
    changed = [at for at, row in enumerate(rows) if row.sign != " "]
    near = {at + step for at in changed for step in range(-CONTEXT, CONTEXT + 1)}
    shown: list[str] = []
    for at, row in enumerate(rows):
        if at in near:
            shown.append(str(row))
        elif shown and shown[-1] != _GAP:
            shown.append(_GAP)
    return shown[:-1] if shown and shown[-1] == _GAP else shown


def _bounded(shown: list[str]) -> list[str]:
    if len(shown) <= MAX_DIFF_LINES:
        return shown
    tail = MAX_DIFF_LINES // 3
    head = MAX_DIFF_LINES - tail
    left_out = len(shown) - MAX_DIFF_LINES
    return [*shown[:head], f"{_GAP} {left_out} more lines of the diff {_GAP}", *shown[-tail:]]
