"""A syntax for calls in text: `CALL name {json}` on a line of its own."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from minime_core import Reading, Tool, ToolCall

OPENER = "CALL "


class Shouting:
    """See `minime_core.ToolFormat`."""

    name = "shouting"
    openers: Sequence[str] = (OPENER,)
    heads: Sequence[str] = ()
    usage = f'To call a tool, write one line: {OPENER}name {{"argument": "value"}}'

    def read(
        self, text: str, at: int, tools: Mapping[str, Tool], *, is_final: bool
    ) -> Reading | None:
        """Return the call at `at`."""
        line, end, _ = text[at:].partition("\n")
        if not end and not is_final:
            return Reading(calls=(), end=at, is_open=True)
        name, _, written = line.removeprefix(OPENER).partition(" ")
        if name not in tools:
            return None
        try:
            arguments = json.loads(written)
        except ValueError:
            arguments = None
        if not isinstance(arguments, dict):
            call = ToolCall(name=name, arguments={}, raw=written)
        else:
            call = ToolCall(name=name, arguments=arguments)
        return Reading(calls=(call,), end=at + len(line) + len(end))

    def reader(self, tools: Mapping[str, Tool]) -> None:
        """Calls are found by their opener."""

    def render_tools(self, tools: Sequence[Tool]) -> str:
        lines = [f"{tool.name} {tool.shape}: {tool.description}" for tool in tools]
        return "\n".join([self.usage, *lines])

    def render_answer(self, text: str, calls: Sequence[ToolCall]) -> str:
        lines = [f"{OPENER}{call.name} {json.dumps(dict(call.arguments))}" for call in calls]
        return "\n".join(filter(None, [text, *lines]))

    def render_result(self, name: str, text: str) -> str:
        return f"RESULT of {name}:\n{text}"

    def constraint(self, tools: Sequence[Tool]) -> Mapping[str, Any] | None:
        return None
