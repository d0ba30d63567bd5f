"""How a model family writes tools and calls as text.

Used in text tool mode, where the chat template renders no tools, and to recover calls that a model
wrote into its answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from minime_core.messages import ToolCall
from minime_core.tools import Tool


@dataclass(frozen=True, slots=True)
class Reading:
    """The calls that a syntax found in a text.

    calls: empty when not even the name of the tool could be read. Arguments are a JSON object, or
        what the model wrote is left in `raw`.
    end: where the text goes on behind them.
    is_open: whether text that follows may still change it.
    """

    calls: tuple[ToolCall, ...]
    end: int
    is_open: bool = False


class Reader(Protocol):
    """Reads one answer while it is written."""

    def feed(self, piece: str) -> str:
        """Return what, after `piece`, surely is text for the user. The rest is held back."""

    def end(self) -> tuple[str, list[ToolCall]]:
        """Return the text that was still held back, and the calls."""


@runtime_checkable
class ToolFormat(Protocol):
    """One syntax.

    openers: strings of which one begins every call; empty for a syntax whose answers have a reader
        of their own.
    heads: like openers, but only at the beginning of an answer.
    usage: how to write a call, for the model.
    """

    name: str
    openers: Sequence[str]
    heads: Sequence[str]
    usage: str

    def read(
        self, text: str, at: int, tools: Mapping[str, Tool], *, is_final: bool
    ) -> Reading | None:
        """Return the calls that begin at the opener or head at `at`.

        None when there is none, whatever follows.

        is_final: whether nothing follows `text`.
        """

    def reader(self, tools: Mapping[str, Tool]) -> Reader | None:
        """Return a reader for one answer in text tool mode; None to find calls by openers."""

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
