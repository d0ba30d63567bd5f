"""How a model family writes tools and calls as text.

Used in text tool mode, where the chat template renders no tools, and to recover calls that a model
wrote into its answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from minime_core.messages import ToolCall
from minime_core.tools import Tool


class Reader(Protocol):
    """Reads one answer while it is written."""

    def feed(self, piece: str) -> str:
        """Return what, after `piece`, surely is text for the user. The rest is held back."""

    def end(self) -> tuple[str, list[ToolCall]]:
        """Return the text that was still held back, and the calls."""


class ToolFormat(Protocol):
    """One syntax.

    openers: strings of which one begins every call; empty for a syntax that counts only as a whole
        answer.
    """

    name: str
    openers: Sequence[str]

    def parse(self, text: str, tools: Mapping[str, Tool]) -> tuple[str, list[ToolCall]] | None:
        """Return the text around the calls, and the calls; None when there are none in `text`.

        Arguments of a call are a JSON object, or what the model wrote is left in `raw`.
        """

    def reader(self, tools: Mapping[str, Tool]) -> Reader:
        """Return a reader for one answer in text tool mode."""

    def render_tools(self, tools: Sequence[Tool]) -> str:
        """Return the part of the system message that tells of `tools` and of the syntax."""

    def render_answer(self, text: str, calls: Sequence[ToolCall]) -> str:
        """Return an earlier answer as this syntax writes it."""

    def render_result(self, name: str, text: str) -> str:
        """Return the result of a call of tool `name` as a user message."""

    def constraint(self, tools: Sequence[Tool]) -> Mapping[str, Any] | None:
        """Return a JSON schema that every answer fits, None when the syntax is not JSON.

        With no tools it allows answers alone.
        """


class HoldBack:
    """The reader of a tagged syntax: shows text up to what is, or may become, an opener."""

    def __init__(self, syntax: ToolFormat, tools: Mapping[str, Tool]) -> None:
        self._syntax = syntax
        self._tools = tools
        self._held = ""
        self._is_open = False

    def feed(self, piece: str) -> str:
        self._held += piece
        if self._is_open:
            return ""
        at = first_opener(self._held, self._syntax.openers)
        self._is_open = any(self._held.startswith(opener, at) for opener in self._syntax.openers)
        shown, self._held = self._held[:at], self._held[at:]
        return shown

    def end(self) -> tuple[str, list[ToolCall]]:
        return self._syntax.parse(self._held, self._tools) or (self._held, [])


def first_opener(text: str, openers: Sequence[str]) -> int:
    """Return where the first opener, or what may become one, begins; else the end of `text`."""
    found = [at for opener in openers if (at := text.find(opener)) >= 0]
    longest = max(map(len, openers), default=0)
    for at in range(max(len(text) - longest + 1, 0), len(text)):
        if any(opener.startswith(text[at:]) for opener in openers):
            found.append(at)
            break
    return min(found, default=len(text))
