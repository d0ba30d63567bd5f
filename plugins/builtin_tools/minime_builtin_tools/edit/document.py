"""A text seen as lines, without losing where each line lies and how it ends."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections import Counter
from functools import cached_property
from itertools import accumulate
from operator import add

BLANKS = " \t"
"""What counts as indentation and as trailing white space. Every other space is content."""

_LINE_END = re.compile(r"(\r\n|\r|\n)")


def normalise(text: str) -> str:
    """Return `text` with every line ending (CRLF, CR) written as LF."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def indent_of(line: str) -> str:
    """Return the leading spaces and tabs of `line`."""
    return line[: len(line) - len(line.lstrip(BLANKS))]


def trailing_of(line: str) -> str:
    """Return the spaces and tabs at the end of `line` ("" for a blank line)."""
    return line[len(line.rstrip(BLANKS)) :] if line.strip(BLANKS) else ""


def is_blank(line: str) -> bool:
    """Tell whether `line` holds nothing but spaces and tabs."""
    return not line.strip(BLANKS)


class Document:
    """The text of a file, with the views on it that matching needs, each computed once.

    Line numbers inside the engine are indices from 0. A line ending closes a line, it does not
    open another one.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.only_lf = "\r" not in text

    @cached_property
    def _split(self) -> tuple[list[str], list[str]]:
        if not self.only_lf:
            parts = _LINE_END.split(self.text)
            contents, endings = parts[::2], [*parts[1::2], ""]
        else:
            contents = self.text.split("\n")
            endings = ["\n"] * (len(contents) - 1) + [""]
        if not contents[-1]:
            contents.pop()
            endings.pop()
        return contents, endings

    @property
    def contents(self) -> list[str]:
        """The lines without their endings."""
        return self._split[0]

    @property
    def endings(self) -> list[str]:
        """The ending of each line; "" after a last line that has none."""
        return self._split[1]

    @cached_property
    def starts(self) -> array[int]:
        """The offset at which each line starts, and the length of the text as last entry."""
        lengths = map(add, map(len, self.contents), map(len, self.endings))
        return array("q", accumulate(lengths, initial=0))

    @cached_property
    def _normal_starts(self) -> array[int]:
        lengths = map(add, map(len, self.contents), map(bool, self.endings))
        return array("q", accumulate(lengths, initial=0))

    @cached_property
    def normal(self) -> str:
        """The text with LF as its only line ending."""
        return normalise(self.text)

    @cached_property
    def stripped(self) -> list[str]:
        """The lines without indentation and trailing white space."""
        return [line.strip(BLANKS) for line in self.contents]

    @cached_property
    def squeezed(self) -> str:
        """The stripped lines, each between two LF.

        One `str.find` in it finds a block of lines whatever its indentation, in linear time.
        """
        return "\n" + "\n".join(self.stripped) + "\n"

    @cached_property
    def dominant_ending(self) -> str:
        """The most frequent line ending; "" where the text has none."""
        if self.only_lf:
            return "\n" if "\n" in self.text else ""
        counted = Counter(ending for ending in self.endings if ending)
        return counted.most_common(1)[0][0]

    def line_at(self, offset: int) -> int:
        """Return the line that holds `offset` (the last line for the end of the text)."""
        return max(0, min(bisect_right(self.starts, offset), len(self.contents)) - 1)

    def offset_of_normal(self, offset: int) -> int:
        """Return the offset in `text` of an `offset` in `normal`."""
        if self.only_lf:
            return offset
        line = bisect_right(self._normal_starts, offset) - 1
        return self.starts[line] + offset - self._normal_starts[line]
