"""What the tagged syntaxes of the families have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from minime_core.formats import Reader, Reading
from minime_core.messages import ToolCall
from minime_core.tools import Tool
from minime_tool_formats.cursor import Cursor, Ended, Mismatch
from minime_tool_formats.declarations import json_declarations


class Family(ABC):
    """A tool format in which calls stand between tags, so that they are found in any text.

    heads: strings that begin a call like openers, but only at the beginning of an answer.
    usage: how to write a call, for the model.
    """

    name: str
    openers: Sequence[str] = ()
    heads: Sequence[str] = ()
    usage: str

    @abstractmethod
    def read_calls(self, cursor: Cursor, tools: Mapping[str, Tool]) -> list[ToolCall]:
        """Read the calls that begin at an opener or head, and go behind them.

        No calls means that they cannot be read. Raises Mismatch, Ended.
        """

    def read(
        self, text: str, at: int, tools: Mapping[str, Tool], *, is_final: bool
    ) -> Reading | None:
        """See `ToolFormat`."""
        cursor = Cursor(text, at, is_final=is_final)
        try:
            calls = self.read_calls(cursor, tools)
        except Mismatch:
            return None
        except Ended as ended:
            return Reading(ended.calls, len(text), is_open=True)
        return Reading(tuple(calls), cursor.at)

    def reader(self, tools: Mapping[str, Tool]) -> Reader | None:
        """See `ToolFormat`."""
        return None

    def render_tools(self, tools: Sequence[Tool]) -> str:
        """See `ToolFormat`."""
        return f"Tools:\n{json_declarations(tools)}\nTo call a tool, write:\n{self.usage}"

    def render_answer(self, text: str, calls: Sequence[ToolCall]) -> str:
        """See `ToolFormat`."""
        written = "\n".join(self.render_call(call) for call in calls)
        return "\n".join(part for part in (text, written) if part)

    @abstractmethod
    def render_call(self, call: ToolCall) -> str:
        """Return a call as this syntax writes it."""

    @abstractmethod
    def render_result(self, name: str, text: str) -> str:
        """See `ToolFormat`."""

    def constraint(self, tools: Sequence[Tool]) -> Mapping[str, Any] | None:
        """See `ToolFormat`."""
        return None
