"""A position in a text that may still grow, for readers that go through it once.

What stands there is expected, and there are two ways to be disappointed: it is something else
(`Mismatch`), or the text ends before that is known (`Ended`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from minime_core.messages import ToolCall

_SPACE = re.compile(r"\s*")
_NAME = re.compile(r"[\w.:/-]+")
MAX_NAME = 100
"""Longest name of a tool, with a prefix such as `functions.`, in characters."""


class Mismatch(Exception):
    """What stands here is no call, whatever follows."""


class Ended(Exception):
    """The text ends within a call; `calls` is what it comes to if nothing follows."""

    def __init__(self, calls: Iterable[ToolCall] = ()) -> None:
        super().__init__()
        self.calls = tuple(calls)


class Cursor:
    """A position `at` in `text`.

    is_final: whether the text is whole, so that nothing follows its end.
    """

    __slots__ = ("at", "is_final", "text")

    def __init__(self, text: str, at: int = 0, *, is_final: bool) -> None:
        self.text = text
        self.at = at
        self.is_final = is_final

    @property
    def is_at_end(self) -> bool:
        return self.at >= len(self.text)

    def sees(self, literal: str) -> bool:
        """Return whether `literal` stands here."""
        return self.text.startswith(literal, self.at)

    def may_see(self, literal: str) -> bool:
        """Return whether the text ends here, or within what may become `literal`."""
        return len(self.text) - self.at < len(literal) and literal.startswith(self.text[self.at :])

    def skip_space(self) -> None:
        match = _SPACE.match(self.text, self.at)
        assert match is not None
        self.at = match.end()

    def expect(self, literal: str) -> None:
        """Go behind `literal`. Raises Mismatch, Ended."""
        if not self.accept(literal):
            raise Mismatch

    def accept(self, literal: str) -> bool:
        """Go behind `literal` if it stands here. Raises Ended when that cannot be known."""
        if self.sees(literal):
            self.at += len(literal)
            return True
        if self.may_see(literal):
            raise Ended
        return False

    def name(self) -> str:
        """Read the name of a tool. Raises Mismatch, Ended."""
        match = _NAME.match(self.text, self.at, self.at + MAX_NAME)
        end = match.end() if match else self.at
        if end >= len(self.text):
            raise Ended
        if match is None:
            raise Mismatch
        self.at = end
        return match[0]

    def several(self, opening: str, read: Callable[[], ToolCall]) -> list[ToolCall]:
        """Read calls, at least one, with white space between them. Raises Mismatch, Ended.

        read: reads one of them from behind its `opening`.
        """
        calls: list[ToolCall] = []
        while True:
            try:
                self.expect(opening)
                calls.append(read())
            except Ended as ended:
                raise Ended([*calls, *ended.calls]) from ended
            behind = self.at
            self.skip_space()
            if self.sees(opening):
                continue
            if self.may_see(opening) and not self.is_final:
                raise Ended
            self.at = behind
            return calls

    def close(self, literal: str, calls: Iterable[ToolCall]) -> None:
        """Go behind a closing `literal`, which models forget, and the white space before it.

        Raises Ended with `calls` when it may still come.
        """
        behind = self.at
        self.skip_space()
        if self.sees(literal):
            self.at += len(literal)
        elif not self.may_see(literal):
            self.at = behind
        elif self.is_final:
            self.at = len(self.text)
        else:
            raise Ended(calls)
