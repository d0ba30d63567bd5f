"""The policy `cut_answer`: the user is told when an answer ended because it was too long."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from minime_core.events import MessageDone, ModelEvent, Notice
from minime_core.middleware import ModelCall
from minime_core.models import ModelRequest


async def wrap(request: ModelRequest, call_next: ModelCall) -> AsyncGenerator[ModelEvent, None]:
    """Add a notice to an answer that was cut off."""
    async with aclosing(call_next(request)) as events:
        async for event in events:
            yield event
            if isinstance(event, MessageDone) and _is_cut(event):
                yield Notice("warning", _text(event, request), "cut_answer")


def _is_cut(done: MessageDone) -> bool:
    # Of a call that was cut the model is told.
    return done.finish_reason == "length" and not done.message.calls


def _text(done: MessageDone, request: ModelRequest) -> str:
    limit, cure = limit_of(request), cure_of(request)
    if done.message.text.strip():
        return f"the answer was cut off at {limit}: {cure}, or ask to go on"
    return f"the model was cut off at {limit} before it answered: {cure}"


def limit_of(request: ModelRequest) -> str:
    """Return what bounds the answer to `request`, for the user."""
    if request.max_tokens is None:
        return "the server's limit"
    if request.is_clamped:
        return f"the end of the window ({request.max_tokens} tokens were left)"
    return f"max_tokens ({request.max_tokens})"


def cure_of(request: ModelRequest) -> str:
    """Return what the user can do about that."""
    return "give the server a larger window" if request.is_clamped else "raise max_tokens"
