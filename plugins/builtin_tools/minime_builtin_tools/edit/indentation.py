"""Recognise a block in another indentation, and rewrite lines into that indentation."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from .document import indent_of, is_blank

_TAB_WIDTHS = (4, 8)
"""Columns of a tab that are tried, where one text mixes tabs and spaces."""

_UNITS = (4, 2, 8)
"""Columns of an indentation level that are believed of a file, the usual ones first."""

_MODEL_UNITS = (4, 2, 8, 3, 1)
"""Columns of an indentation level that are believed of a model."""

Pairs = Sequence[tuple[str, str]]
"""For each line that is not blank: its indentation in `old`, and in the file."""


def columns(indent: str, tab: int) -> int:
    """Return the width of `indent` in columns, with a tab stop every `tab` columns."""
    return len(indent.expandtabs(tab))


def consistent_tab(pairs: Pairs) -> int | None:
    """Return the tab width under which both sides have the same structure, None if none does.

    The structure is the same if lines at one level stay at one level, and if a deeper line stays
    deeper: then the two blocks nest in the same way, whatever the units.
    """
    for tab in _TAB_WIDTHS:
        levels: dict[int, int] = {}
        for old, file in pairs:
            width = columns(file, tab)
            if levels.setdefault(columns(old, tab), width) != width:
                break
        else:
            widths = [levels[level] for level in sorted(levels)]
            if all(a < b for a, b in pairwise(widths)):
                return tab
    return None


def unit_of(lines: Iterable[str]) -> str | None:
    """Return the indentation unit of `lines`: a tab, some spaces, or None if nothing shows it."""
    tabs = spaces = 0
    steps: Counter[int] = Counter()
    previous = 0
    for line in lines:
        if is_blank(line):
            continue
        indent = indent_of(line)
        tabs += indent.startswith("\t")
        spaces += indent.startswith("  ")
        width = columns(indent, _TAB_WIDTHS[0])
        steps[width - previous] += 1
        previous = width
    if tabs > spaces:
        return "\t"
    step = _likely_unit(steps, _UNITS)
    return " " * step if step and spaces else None


class Reindenter:
    """Rewrites lines from the indentation that `old` used into the one that the file uses."""

    def __init__(self, pairs: Pairs, tab: int, new: Sequence[str], file_unit: str | None) -> None:
        """Learn from the lines that are in both.

        :param pairs: a consistent block, see `consistent_tab`
        :param tab: the tab width under which it is consistent, in columns
        :param new: the lines to rewrite, which may show the unit of the model
        :param file_unit: one level of indentation in the file, None if it is not known
        """
        self._tab = tab
        self._levels = {columns(old, tab): file for old, file in pairs}
        if any("\t" in file for _, file in pairs):
            file_unit = "\t"
        self._old_unit = _model_unit(pairs, tab, new, file_unit)
        self._file_unit = file_unit or " " * self._old_unit

    def translate(self, indent: str) -> str:
        """Return what `indent` of `old` or `new` is in the file."""
        width = columns(indent, self._tab)
        known = self._levels.get(width)
        if known is not None:
            return known
        base = max((level for level in self._levels if level < width), default=min(self._levels))
        levels, rest = divmod(width - base, self._old_unit)
        return _shifted(self._levels[base], levels, self._file_unit, self._tab) + " " * rest


def first_step_fits(pairs: Pairs, tab: int, file_unit: str | None) -> bool:
    """Tell whether the step from the first line to the second is like the other steps.

    If it is not, `old` was most likely cut at the first character of its first line.
    """
    if not file_unit:
        return True
    unit = columns(file_unit, tab)
    usual = _unit_from_steps(pairs[1:], tab, unit)
    if usual is None and any("\t" in old for old, _ in pairs):
        usual = tab
    return usual is None or _unit_from_steps(pairs[:2], tab, unit) in (None, usual)


def _shifted(indent: str, levels: int, unit: str, tab: int) -> str:
    if levels >= 0:
        return indent + unit * levels
    target = max(0, columns(indent, tab) + levels * columns(unit, tab))
    cut = bisect_right(range(len(indent) + 1), target, key=lambda n: columns(indent[:n], tab)) - 1
    return indent[:cut] + " " * (target - columns(indent[:cut], tab))


def _model_unit(pairs: Pairs, tab: int, new: Sequence[str], file_unit: str | None) -> int:
    """Return how many columns the model used for one level."""
    indents = [old for old, _ in pairs]
    indents += [indent_of(line) for line in new if not is_blank(line)]
    if any("\t" in indent for indent in indents):
        return tab
    unit = columns(file_unit, tab) if file_unit else 0
    if unit:
        seen = _unit_from_steps(pairs, tab, unit)
        if seen:
            return seen
    steps = Counter(len(b) - len(a) for a, b in pairwise(indents))
    step = _likely_unit(steps, _MODEL_UNITS)
    if not step:
        return unit or 4
    # A step of several units of the file is one level of the model only if the depth of the
    # block says so too; else it is a line that goes several levels deeper.
    if unit and step % unit == 0 and not _depth_suggests(pairs, tab, unit, step):
        return unit
    return step


def _unit_from_steps(pairs: Pairs, tab: int, unit: int) -> int | None:
    """Compare the steps from line to line on both sides, and let them vote."""
    votes: Counter[int] = Counter()
    for (old_a, file_a), (old_b, file_b) in pairwise(pairs):
        old_step = abs(columns(old_b, tab) - columns(old_a, tab))
        levels, rest = divmod(abs(columns(file_b, tab) - columns(file_a, tab)), unit)
        if levels and old_step and not rest and old_step % levels == 0:
            votes[old_step // levels] += 1
    return votes.most_common(1)[0][0] if votes else None


def _depth_suggests(pairs: Pairs, tab: int, unit: int, step: int) -> bool:
    return any(
        file and columns(old, tab) * unit == columns(file, tab) * step for old, file in pairs
    )


def _likely_unit(steps: Counter[int], units: tuple[int, ...]) -> int | None:
    """Return the most frequent believable step, in or out."""
    best = max(units, key=lambda unit: steps[unit] + steps[-unit])
    return best if steps[best] + steps[-best] else None
