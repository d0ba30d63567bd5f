"""Find `old` in the file. Of the passes, strict to loose, the first that finds something wins.

The strict passes look for a piece of text, which may begin and end inside a line. The loose
passes compare whole lines only, so that `x = 1` is never found in `max = 10`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import IntEnum

from .document import BLANKS, Document, indent_of, is_blank, normalise, trailing_of
from .indentation import Pairs, consistent_tab

BOM = "\ufeff"

_MAX_PLACES = 1_000
"""Places of one `old` that are looked at; what fits more often is ambiguous anyway."""

_MAX_COMPARED_LINES = 1_000_000
"""Lines compared for one `old` over all its places."""


class Pass(IntEnum):
    """How much was ignored to find `old`, the strictest first."""

    EXACT = 0
    LINE_ENDINGS = 1
    TRAILING_SPACE = 2
    BLOCK_EDGES = 3
    INDENTATION = 4
    MISNESTED = 5
    """The same lines, nested in another way: this is never a match."""


@dataclass(frozen=True)
class Block:
    """`old` as lines, without the blank lines around it."""

    core: list[str]
    leading: list[str]
    trailing: list[str]
    terminated: bool

    @classmethod
    def parse(cls, old: str) -> Block:
        """Cut `old` into lines; a final line ending opens no further line."""
        lines = normalise(old).removeprefix(BOM).split("\n")
        terminated = lines[-1] == ""
        if terminated:
            lines.pop()
        top = next((i for i, line in enumerate(lines) if not is_blank(line)), len(lines))
        bottom = len(lines)
        while bottom > top and is_blank(lines[bottom - 1]):
            bottom -= 1
        return cls(lines[top:bottom], lines[:top], lines[bottom:], terminated)


@dataclass(frozen=True)
class Match:
    """A place where `old` fits."""

    found_by: Pass
    start: int
    end: int
    """Offsets in the text of the file. The ending of the last whole line is not included."""
    first: int
    last: int
    """Indices of the first and the last line."""
    old_lines: list[str]
    """The lines of `old` that stand for those of the file, one for one."""
    ignored: tuple[str, ...] = ()
    """What had to be ignored, in words."""
    block: Block | None = None
    """`old` as whole lines; None where a piece of text was found."""
    above: bool = True
    below: bool = True
    """The blank lines above and below the block are in the file too, and are replaced."""

    def overlaps(self, other: Match) -> bool:
        """Tell whether both cover some of the same text."""
        return self.start < other.end and other.start < self.end


@dataclass
class Found:
    """What the search for one `old` gave: one match, several (ambiguous) or none."""

    matches: list[Match] = field(default_factory=list)
    more: bool = False
    """There are more places than `matches` tells."""
    misnested: Match | None = None
    """No match, but the same lines nested in another way."""


def locate(document: Document, old: str) -> Found:
    """Find `old` by the strictest pass that finds anything.

    :param old: the text as the model wrote it; not blank
    """
    spans = _find_text(document, old)
    if not spans.matches:
        return locate_lines(document, old)
    if len(spans.matches) > 1:
        return spans
    return _weigh_against_lines(document, old, spans)


def _weigh_against_lines(document: Document, old: str, spans: Found) -> Found:
    """Judge the only place that holds `old` literally, if it is not of whole lines.

    `    return x` is literally in `        return x + 1`. If a whole line `  return x` exists as
    well, nobody knows which one is meant. And if it is the indentation that was cut, the match
    is a loose one: `old` was written with too little of it.
    """
    span = spans.matches[0]
    head = document.text[document.starts[span.first] : span.start]
    line_end = document.starts[span.last] + len(document.contents[span.last])
    first = span.old_lines[0]
    # A piece of a line without white space at its ends cannot be a line elsewhere as well.
    piece = len(span.old_lines) == 1 and first == first.strip(BLANKS)
    if piece or (not head and span.end >= line_end):
        return spans
    found = locate_lines(document, old)
    elsewhere = [match for match in found.matches if not match.overlaps(span)]
    if elsewhere:
        return Found([span, *elsewhere], found.more)
    indentation_cut = head != "" and is_blank(head) and first[:1] in (" ", "\t")
    return found if indentation_cut and found.matches else spans


def _find_text(document: Document, old: str) -> Found:
    needle, ignored = normalise(old), "line endings"
    offsets, more = _occurrences(document.normal, needle)
    if not offsets and needle.startswith(BOM):
        needle, ignored = needle.removeprefix(BOM), "the byte order mark"
        offsets, more = _occurrences(document.normal, needle)
    matches = [_text_match(document, old, needle, offset, ignored) for offset in offsets]
    best = min((match.found_by for match in matches), default=Pass.EXACT)
    matches = [match for match in matches if match.found_by == best]
    # To a reader, the last line is like others even if it has no line ending.
    line = needle.removesuffix("\n")
    if matches and line != needle and not document.endings[-1] and document.normal.endswith(line):
        last = _text_match(document, old, line, len(document.normal) - len(line), ignored)
        matches.append(replace(last, found_by=best))
    return Found(matches, more)


def _text_match(document: Document, old: str, needle: str, offset: int, ignored: str) -> Match:
    start = document.offset_of_normal(offset)
    end = document.offset_of_normal(offset + len(needle))
    exact = document.text[start:end] == old
    return Match(
        found_by=Pass.EXACT if exact else Pass.LINE_ENDINGS,
        start=start,
        end=end,
        first=document.line_at(start),
        last=document.line_at(max(start, end - 1)),
        old_lines=needle.split("\n"),
        ignored=() if exact else (ignored,),
    )


def _occurrences(text: str, needle: str) -> tuple[list[int], bool]:
    """Return the first places of `needle`, overlapping ones too, and whether there are more."""
    offsets: list[int] = []
    at = text.find(needle) if needle else -1
    while at >= 0 and len(offsets) < _MAX_PLACES:
        offsets.append(at)
        at = text.find(needle, at + 1)
    return offsets, at >= 0


def stands_at(document: Document, old: str, first: int) -> bool:
    """Tell whether `old` is at line `first`, white space at both ends of each line ignored."""
    core = [line.strip(BLANKS) for line in Block.parse(old).core]
    return first >= 0 and document.stripped[first : first + len(core)] == core


def locate_lines(document: Document, old: str) -> Found:
    """Find `old` as whole lines, ignoring white space at both ends of each line."""
    block = Block.parse(old)
    if not block.core:
        return Found()
    firsts, more = _places(document, block.core)
    by_pass: dict[Pass, list[Match]] = {}
    for first in firsts:
        match = _compare(document, block, first)
        by_pass.setdefault(match.found_by, []).append(match)
    misnested = by_pass.pop(Pass.MISNESTED, [])
    if not by_pass:
        return Found(misnested=misnested[0] if misnested else None)
    best = min(by_pass)
    # Where nothing but indentation tells two blocks apart, indentation may not be ignored.
    rivals = misnested if best == Pass.INDENTATION else []
    return Found(by_pass[best] + rivals, more)


def _places(document: Document, core: list[str]) -> tuple[list[int], bool]:
    needle = "\n" + "\n".join(line.strip(BLANKS) for line in core) + "\n"
    text = document.squeezed
    limit = min(_MAX_PLACES, _MAX_COMPARED_LINES // len(core))
    firsts: list[int] = []
    line = counted = 0
    at = text.find(needle)
    while at >= 0 and len(firsts) < max(2, limit):
        line += text.count("\n", counted, at)
        counted = at
        firsts.append(line)
        at = text.find(needle, at + 1)
    return firsts, at >= 0


def _compare(document: Document, block: Block, first: int) -> Match:
    """Tell by which pass `block` fits at line `first`, where its bare lines are."""
    stop = first + len(block.core)
    file_lines = document.contents[first:stop]
    pairs = indent_pairs(block.core, file_lines)
    above, below = _blanks_around(document, block, first)
    same_indent = all(old == file for old, file in pairs)
    if same_indent:
        found_by = Pass.TRAILING_SPACE if above and below else Pass.BLOCK_EDGES
    elif len(pairs) == 1 or (lost_first_indent(pairs) and all(a == b for a, b in pairs[1:])):
        found_by = Pass.BLOCK_EDGES
    else:
        found_by = Pass.INDENTATION if nests_alike(pairs) else Pass.MISNESTED
    trailing = any(
        trailing_of(a) != trailing_of(b) for a, b in zip(block.core, file_lines, strict=True)
    )
    facts = {
        "indentation": not same_indent,
        "trailing white space": trailing,
        "blank lines around it": not (above and below),
        "the final newline": block.terminated and not document.endings[stop - 1],
    }
    old_lines = block.core
    if above:
        old_lines, first = block.leading + old_lines, first - len(block.leading)
    if below:
        old_lines, stop = old_lines + block.trailing, stop + len(block.trailing)
    return Match(
        found_by=found_by,
        start=document.starts[first],
        end=document.starts[stop - 1] + len(document.contents[stop - 1]),
        first=first,
        last=stop - 1,
        old_lines=old_lines,
        ignored=tuple(name for name, true in facts.items() if true),
        block=block,
        above=above,
        below=below,
    )


def _blanks_around(document: Document, block: Block, first: int) -> tuple[bool, bool]:
    """Tell whether the file has the blank lines above and below that `old` has."""
    top = first - len(block.leading)
    bottom = first + len(block.core)
    after = document.contents[bottom : bottom + len(block.trailing)]
    above = top >= 0 and all(is_blank(line) for line in document.contents[top:first])
    below = len(after) == len(block.trailing) and all(is_blank(line) for line in after)
    return above, below


def indent_pairs(old_lines: list[str], file_lines: list[str]) -> Pairs:
    """Return the indentation on both sides of each line that is not blank."""
    pairs: Iterator[tuple[str, str]] = zip(old_lines, file_lines, strict=True)
    return [(indent_of(old), indent_of(file)) for old, file in pairs if not is_blank(old)]


def lost_first_indent(pairs: Pairs) -> bool:
    """Tell whether `old` was cut at the first character of its first line."""
    return len(pairs) > 1 and pairs[0][0] == "" and pairs[0][1] != ""


def lost_all_indent(pairs: Pairs) -> bool:
    """Tell whether `old` came without any indentation."""
    return len(pairs) > 1 and all(old == "" for old, _ in pairs)


def nests_alike(pairs: Pairs) -> bool:
    """Tell whether the indentation of `old` contradicts that of the file nowhere."""
    return (
        consistent_tab(pairs) is not None
        or lost_all_indent(pairs)
        or (lost_first_indent(pairs) and consistent_tab(pairs[1:]) is not None)
    )
