"""Write `new` as the file would have it: its indentation, its white space, its line endings.

What `old` and `new` have in common is not written anew: those lines of the file stay as they
are, byte for byte. A changed line follows the line that it replaces.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .alignment import align
from .document import BLANKS, Document, indent_of, is_blank, normalise, trailing_of
from .indentation import Pairs, Reindenter, columns, consistent_tab, first_step_fits, unit_of
from .matching import Match, indent_pairs, lost_all_indent, lost_first_indent

_NEIGHBOURHOOD = 300
"""Lines on each side of a match that show the indentation unit of the file."""

_OPENERS = (":", "{", "(", "[")
"""What a line ends with if the next line belongs inside of it."""

LineWriter = Callable[[int, int | None], str]
"""What a line of `new` is in the file, given the index of the line of `old` that it replaces."""


class IndentationLost(Exception):
    """`old` came without its indentation, and that of a line of `new` cannot be told."""


@dataclass(frozen=True)
class Replacement:
    """A piece of the file, by offsets, and what takes its place."""

    start: int
    end: int
    text: str


def rewrite(document: Document, match: Match, new: str) -> Replacement:
    """Return what takes the place of `old` where it matched.

    :raises IndentationLost: see there
    """
    fallback = document.dominant_ending or ("\r\n" if "\r\n" in new else "\n")
    new = normalise(new)
    if match.block is None and document.only_lf:
        return Replacement(match.start, match.end, new.replace("\n", fallback))
    new_lines = _lines_of_new(match, new)
    if not new_lines:
        end = match.end + len(document.endings[match.last])
        return Replacement(match.start, end, "")
    endings = document.endings[match.first : match.first + len(match.old_lines)]
    endings = [ending or fallback for ending in endings] or [fallback]
    write: LineWriter
    if match.block is None:
        file_lines, write = match.old_lines, _verbatim(new_lines)
    else:
        file_lines = document.contents[match.first : match.last + 1]
        write = _TolerantWriter(document, match, file_lines, new_lines)
    text = _compose(match.old_lines, file_lines, endings, new_lines, write)
    return Replacement(match.start, match.end, text)


def _verbatim(new_lines: list[str]) -> LineWriter:
    return lambda line, _: new_lines[line]


def _lines_of_new(match: Match, new: str) -> list[str]:
    """Cut `new` into lines in the way in which `old` was cut."""
    lines = new.split("\n")
    block = match.block
    if block is None:
        return lines
    if block.terminated and lines[-1] == "":
        lines.pop()
    if not match.above:
        surplus = len(block.leading)
        while surplus and lines and is_blank(lines[0]):
            del lines[0]
            surplus -= 1
    if not match.below:
        surplus = len(block.trailing)
        while surplus and lines and is_blank(lines[-1]):
            del lines[-1]
            surplus -= 1
    return lines


def _compose(
    old_lines: list[str],
    file_lines: list[str],
    endings: list[str],
    new_lines: list[str],
    write: LineWriter,
) -> str:
    pieces: list[str] = []
    ending = endings[0]
    old_keys = [line.rstrip(BLANKS) for line in old_lines]
    new_keys = [line.rstrip(BLANKS) for line in new_lines]
    for tag, i, j in align(old_keys, new_keys):
        if tag == "delete":
            continue
        if tag == "insert":
            content = write(j, None)
        elif old_lines[i] == new_lines[j]:
            content = file_lines[i]
        else:
            content = write(j, i)
        if tag != "insert" and i < len(endings):
            ending = endings[i]
        pieces += (content, ending)
    return "".join(pieces[:-1])


class _TolerantWriter:
    """Undoes on the lines of `new` what `old` did to the lines of the file."""

    def __init__(
        self, document: Document, match: Match, file_lines: list[str], new_lines: list[str]
    ) -> None:
        self._old = match.old_lines
        self._file = file_lines
        self._new = new_lines
        self._spurious_trailing = any(
            len(trailing_of(old)) > len(trailing_of(file))
            for old, file in zip(self._old, file_lines, strict=True)
        )
        self._indent = _indenter(document, match, file_lines, new_lines)

    def __call__(self, line: int, replaced: int | None) -> str:
        text = self._new[line]
        if is_blank(text):
            return ""
        return self._indent(line, replaced) + text.strip(BLANKS) + self._trailing(text, replaced)

    def _trailing(self, text: str, replaced: int | None) -> str:
        trailing = trailing_of(text)
        if replaced is not None and trailing == trailing_of(self._old[replaced]):
            return trailing_of(self._file[replaced])
        return "" if self._spurious_trailing else trailing


def _indenter(
    document: Document, match: Match, file_lines: list[str], new_lines: list[str]
) -> LineWriter:
    """Choose how the indentation of a line of `new` is found."""
    pairs = indent_pairs(match.old_lines, file_lines)
    first_old, first_file = pairs[0]
    if (
        len(pairs) == 1
        and not first_old
        and not is_relative(new_lines[_solid(new_lines) :], first_file)
    ):
        return _with_first_line(first_file, new_lines, lambda indent: indent)
    if lost_first_indent(pairs) and all(old == file for old, file in pairs[1:]):
        return _with_first_line(first_file, new_lines, lambda indent: indent)
    tab = consistent_tab(pairs)
    if tab is None and lost_all_indent(pairs):
        return _from_replaced_line(match.old_lines, file_lines, new_lines)
    around = slice(max(0, match.first - _NEIGHBOURHOOD), match.last + _NEIGHBOURHOOD)
    unit = unit_of(document.contents[around])
    if lost_first_indent(pairs) and (tab is None or not first_step_fits(pairs, tab, unit)):
        rest_tab = consistent_tab(pairs[1:])
        assert rest_tab is not None, "a match nests like the file"
        translate = _translator(pairs[1:], rest_tab, new_lines, unit)
        return _with_first_line(first_file, new_lines, translate)
    assert tab is not None, "a match nests like the file"
    translate = _translator(pairs, tab, new_lines, unit)
    return lambda line, _: translate(indent_of(new_lines[line]))


def is_relative(new_lines: list[str], base: str) -> bool:
    """Tell whether indentation in `new` counts from its first line, if `old` was cut at `base`.

    It does if the second line would otherwise stand left of where it can stand: not deeper than
    a first line that opens a block, or left of another first line. After a blank line, anything
    can stand anywhere.
    """
    if len(new_lines) < 2 or indent_of(new_lines[0]):
        return False
    first, *rest = new_lines
    if not first:
        rest = rest[_solid(rest) :]
    if not rest or is_blank(rest[0]):
        return False
    indent, limit = columns(indent_of(rest[0]), 4), columns(base, 4)
    return indent <= limit if first.rstrip(BLANKS).endswith(_OPENERS) else indent < limit


def _solid(lines: list[str]) -> int:
    """Return the index of the first line that is not blank, the number of lines if all are."""
    return next((i for i, line in enumerate(lines) if not is_blank(line)), len(lines))


def _translator(
    pairs: Pairs, tab: int, new_lines: list[str], unit: str | None
) -> Callable[[str], str]:
    if all(old == file for old, file in pairs):
        return lambda indent: indent
    return Reindenter(pairs, tab, new_lines, unit).translate


def _with_first_line(
    first_indent: str, new_lines: list[str], translate: Callable[[str], str]
) -> LineWriter:
    """`old` was cut at the first character of its first line, and `new` most likely too."""
    first = _solid(new_lines)

    def indent(line: int, _: int | None) -> str:
        own = indent_of(new_lines[line])
        return first_indent if line == first and not own else translate(own)

    return indent


def _from_replaced_line(
    old_lines: list[str], file_lines: list[str], new_lines: list[str]
) -> LineWriter:
    """Without indentation in `old`, only the line that is replaced shows where a line belongs."""

    def indent(line: int, replaced: int | None) -> str:
        if replaced is None or is_blank(old_lines[replaced]) or indent_of(new_lines[line]):
            raise IndentationLost
        return indent_of(file_lines[replaced])

    return indent
