"""Joins an answer that broke off with its continuation, which seldom begins where it should."""

from __future__ import annotations

REACH = 400
"""Most characters that a continuation may say again."""
MIN_OVERLAP = 12
"""Characters that are not the same by chance."""
MIN_WORD = 3
"""Characters that are enough from the beginning of a word on."""
RESTART = 40
"""Characters of the old beginning that tell an answer which begins all over again."""


class Seam:
    """Reads a continuation of `old` and drops what it says again.

    has_restarted: whether the continuation is the whole answer anew; `old` is then to be withdrawn.
    """

    def __init__(self, old: str) -> None:
        self.has_restarted = False
        self._tail = old[-REACH:]
        self._head = old.lstrip()[:RESTART]
        self._held = ""
        self._is_open = True

    def feed(self, piece: str) -> str:
        """Return what of the continuation is new and sure, now that `piece` has come."""
        if not self._is_open:
            return piece
        self._held += piece
        said = self._held.lstrip()
        if len(said) < REACH and (said in self._tail or self._head.startswith(said)):
            return ""
        return self.end()

    def end(self) -> str:
        """Return what of the continuation is new of what was held back."""
        held, self._held, self._is_open = self._held, "", False
        said = held.lstrip()
        if overlap := _overlap(self._tail, said):
            return said[overlap:]
        if len(self._head) == RESTART and said.startswith(self._head):
            self.has_restarted = True
            return said
        return held


def join(old: str, continuation: str) -> str:
    """Return the whole text of an answer that broke off after `old`."""
    seam = Seam(old)
    new = seam.feed(continuation) + seam.end()
    return new if seam.has_restarted else old + new


def _overlap(old: str, new: str) -> int:
    """Return how many characters at the beginning of `new` the end of `old` has already."""
    for length in range(min(len(old), len(new)), MIN_WORD - 1, -1):
        if old.endswith(new[:length]):
            before = old[-length - 1 : -length]
            if length >= MIN_OVERLAP or (new[0].isalnum() and not before.isalnum()):
                return length
    return 0
