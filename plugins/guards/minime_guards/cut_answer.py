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
                yield Notice("warning", _text(event, request.max_tokens), "cut_answer")


def _is_cut(done: MessageDone) -> bool:
    # Of a call that was cut the model is told.
    return done.finish_reason == "length" and not done.message.calls


def _text(done: MessageDone, max_tokens: int | None) -> str:
    limit = "the server's limit" if max_tokens is None else f"max_tokens ({max_tokens})"
    if done.message.text.strip():
        return f"the answer was cut off at {limit}: raise max_tokens, or ask to go on"
    return f"the model was cut off at {limit} before it answered: raise max_tokens"
