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
    """One syntax."""

    name: str

    def reader(self, tools: Mapping[str, Tool]) -> Reader:
        """Return a reader for one answer.

        Arguments of a call are a JSON object, or what the model wrote is left in `raw`.
        """

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
