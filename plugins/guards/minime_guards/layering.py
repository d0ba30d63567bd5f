"""What the policies share: a layer that judges whole answers."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import replace

from minime_core.events import MessageDone, ModelEvent, TextDelta, ThinkingDelta, ToolCallDelta
from minime_core.messages import ToolCall
from minime_core.middleware import ModelCall
from minime_core.models import ModelRequest

Wrap = Callable[[ModelRequest, ModelCall], AsyncGenerator[ModelEvent, None]]
Judge = Callable[[ModelRequest, MessageDone], MessageDone]

TOKENS = (TextDelta, ThinkingDelta, ToolCallDelta)
"""Events that the user sees as a part of the answer."""


def judging(judge: Judge) -> Wrap:
    """Return a layer that passes everything on but the whole answer, which `judge` may replace."""

    async def wrap(request: ModelRequest, call_next: ModelCall) -> AsyncGenerator[ModelEvent, None]:
        async with aclosing(call_next(request)) as events:
            async for event in events:
                yield judge(request, event) if isinstance(event, MessageDone) else event

    return wrap


def with_calls(done: MessageDone, change: Callable[[ToolCall], ToolCall]) -> MessageDone:
    """Return `done` with each of its calls as `change` returns it."""
    calls = tuple(change(call) for call in done.message.calls)
    if all(new is old for new, old in zip(calls, done.message.calls, strict=True)):
        return done
    return replace(done, message=replace(done.message, calls=calls))
