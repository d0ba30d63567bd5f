"""The policy `coercion`: arguments that do not fit the schema are made to, where nothing is lost.

Arguments that fit are never changed. Those that cannot be made to fit stay as the model wrote them,
and are rejected with what is wrong and what was expected.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from minime_core.events import MessageDone
from minime_core.messages import ToolCall
from minime_core.models import ModelRequest
from minime_core.tools import Tool
from minime_guards.layering import with_calls


class Coercion:
    """The judge, for one session."""

    def __init__(self, tools: Mapping[str, Tool]) -> None:
        self._tools = tools

    def judge(self, request: ModelRequest, done: MessageDone) -> MessageDone:
        """Return `done` with the arguments of its calls made to fit."""
        return with_calls(done, self._fitting)

    def _fitting(self, call: ToolCall) -> ToolCall:
        tool = self._tools.get(call.name)
        if tool is None or call.raw is not None or call.rejected is not None:
            return call
        if not tool.faults(call.arguments):
            return call
        from minime_guards.schema_fit import fit

        arguments = fit(call.arguments, tool.schema)
        return call if arguments is None else replace(call, arguments=arguments)
