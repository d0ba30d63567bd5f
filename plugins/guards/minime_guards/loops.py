"""The policy `loops`: a model that repeats itself is told, and stopped when that is of no use.

A repetition is the same call with the same result, or a cycle of two or three of them. What was
seen lasts for the session, whatever becomes of the conversation.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any

from minime_core.errors import TurnStopped
from minime_core.events import MessageDone, ModelEvent
from minime_core.messages import ToolCall
from minime_core.middleware import ModelCall, ToolCaller
from minime_core.models import ModelRequest
from minime_core.session import Session
from minime_core.tools import Tool, ToolResult
from minime_core.turn import Turn
from minime_guards.settings import GuardSettings

LONGEST_CYCLE = 3
"""Calls in the longest cycle that is looked for."""

_ELAPSED = re.compile(r" after \d+(?:\.\d+)? s(?=[\],])")
_VARIABLE = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"|`[^`\n]*`|\d+")


@dataclass(slots=True)
class _Warnings:
    """How often the model was warned in a turn without a change."""

    turn: Turn | None
    count: int = 0


class Loops:
    """Both layers, for one session: of what calls bring, and of how the model is asked."""

    def __init__(self, session: Session, settings: GuardSettings) -> None:
        self._session = session
        self._settings = settings
        self._seen: deque[int] = deque(maxlen=LONGEST_CYCLE * settings.loop_warning)
        self._warnings = _Warnings(None)
        self._is_warned = False

    async def wrap_tool(self, call: ToolCall, call_next: ToolCaller) -> ToolResult:
        """Run `call`; warn of a repetition. Raises TurnStopped when that was in vain."""
        result = await call_next(call)
        self._seen.append(_fingerprint(call, result, self._session.tools.get(call.name)))
        if self._warnings.turn is not self._session.turn:
            self._warnings = _Warnings(self._session.turn)
        period = self._period()
        if not period:
            self._warnings.count = 0
            return result
        self._warnings.count += 1
        if self._warnings.count > self._settings.loop_stop:
            raise TurnStopped(f"stuck: {_repeated(period)} again and again", reason="stuck")
        self._is_warned = True
        warning = (
            f"[{call.name}: you have made {_repeated(period)} {self._settings.loop_warning} times "
            "or more. It will not change. Do something else, or tell the user what stops you.]"
        )
        return replace(result, text=f"{result.text}\n{warning}")

    async def wrap_model(
        self, request: ModelRequest, call_next: ModelCall
    ) -> AsyncGenerator[ModelEvent, None]:
        """Ask at another temperature when the model has been warned since its last answer."""
        if self._is_warned and self._settings.loop_temperature:
            warmer = {**request.sampling, "temperature": self._settings.loop_temperature}
            request = replace(request, sampling=warmer)
        async with aclosing(call_next(request)) as events:
            async for event in events:
                if isinstance(event, MessageDone):
                    self._is_warned = False
                yield event

    def _period(self) -> int:
        """Return the length of the cycle that the last calls repeat often enough, 0 for none."""
        seen = list(self._seen)
        for period in range(1, LONGEST_CYCLE + 1):
            length = period * self._settings.loop_warning
            last = seen[-length:]
            if len(last) == length and last[period:] == last[:-period]:
                return period
        return 0


def _repeated(period: int) -> str:
    if period == 1:
        return "the same call with the same result"
    return f"the same {period} calls with the same results"


def _fingerprint(call: ToolCall, result: ToolResult, tool: Tool | None) -> int:
    """Return a number that is the same for what counts as the same."""
    if not result.ok and tool is not None and tool.kind == "edit":
        # Refused for the same reason: what was to be replaced does not matter.
        reason = _VARIABLE.sub("", result.text.partition("\n")[0])
        return hash((call.name, _where(call, tool), reason))
    return hash((call.name, _plain(call.arguments), _ELAPSED.sub("", result.text)))


def _where(call: ToolCall, tool: Tool) -> object:
    # A call that was rejected may lack what `locations` needs.
    return _plain(call.arguments) if tool.faults(call.arguments) else tool.locations(call.arguments)


def _plain(value: Any) -> object:
    """Return `value` in a form that can be hashed, without differences in white space."""
    if isinstance(value, str):
        return " ".join(value.split())
    if isinstance(value, Mapping):
        return tuple(sorted((name, repr(_plain(item))) for name, item in value.items()))
    if isinstance(value, list):
        return tuple(map(_plain, value))
    return value
