"""Layers that look on."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing

from minime_core import (
    ModelCall,
    ModelEvent,
    ModelRequest,
    Notice,
    Session,
    ToolCall,
    ToolCaller,
    ToolResult,
)


def count_requests(
    session: Session,
) -> Callable[[ModelRequest, ModelCall], AsyncGenerator[ModelEvent, None]]:
    """Return a layer that tells how many requests a session has made, with `--debug`."""
    count = 0

    async def wrap(request: ModelRequest, call_next: ModelCall) -> AsyncGenerator[ModelEvent, None]:
        nonlocal count
        count += 1
        # What is iterated is closed, also when the user leaves: the server stops then.
        async with aclosing(call_next(request)) as events:
            async for event in events:
                yield event
        if session.is_debug:
            yield Notice("info", f"request {count}", "hello")

    return wrap


def count_calls(session: Session) -> Callable[[ToolCall, ToolCaller], Awaitable[ToolResult]]:
    """Return a layer that tells how many calls a session has made, with `--debug`."""
    count = 0

    async def wrap(call: ToolCall, call_next: ToolCaller) -> ToolResult:
        nonlocal count
        count += 1
        if session.is_debug:
            session.emit(Notice("info", f"call {count}: {call.name}", "hello"))
        return await call_next(call)

    return wrap
