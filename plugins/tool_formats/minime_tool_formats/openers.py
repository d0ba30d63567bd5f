"""Strings that begin something, looked for in a text that comes in pieces."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache


class Openers:
    """A set of strings, any of which may begin something."""

    def __init__(self, strings: Collection[str]) -> None:
        # The longest first, since one may begin with another.
        longest_first = sorted(strings, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, longest_first)) or r"(?!)")
        self._beginnings = {s[:length] for s in strings for length in range(1, len(s))}
        self._longest = max(map(len, strings), default=0)
        self.first_characters = frozenset(s[0] for s in strings)

    def find(self, text: str, at: int = 0) -> int:
        """Return where the next one begins, the length of `text` when none does."""
        match = self._pattern.search(text, at)
        return match.start() if match else len(text)

    def end(self, text: str, at: int) -> int:
        """Return where the one that stands at `at` ends, -1 when none stands there."""
        match = self._pattern.match(text, at)
        return match.end() if match else -1

    def may_begin(self, text: str, at: int = 0) -> int:
        """Return from where on, not before `at`, `text` may be the beginning of one."""
        for start in range(max(len(text) - self._longest + 1, at), len(text)):
            if text[start:] in self._beginnings:
                return start
        return len(text)


@cache
def openers_of(strings: frozenset[str]) -> Openers:
    """Return the `Openers` of `strings`: each answer looks for the same ones."""
    return Openers(strings)
