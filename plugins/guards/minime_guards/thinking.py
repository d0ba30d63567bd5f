"""The policy `thinking`: what a model thinks is no part of its answer.

Where the server left it in the text, between tags, it is told apart while it is written.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

from minime_core.events import MessageDone, ModelEvent, TextDelta, ThinkingDelta
from minime_core.middleware import ModelCall
from minime_core.models import ModelRequest
from minime_guards.think_splitter import Splitter, split


async def wrap(request: ModelRequest, call_next: ModelCall) -> AsyncGenerator[ModelEvent, None]:
    """Show thinking as thinking, and take it out of the answer's text."""
    splitter = Splitter()
    async with aclosing(call_next(request)) as events:
        async for event in events:
            if isinstance(event, TextDelta):
                if splitter.passes(event.text):
                    yield event
                    continue
                for shown in splitter.feed(event.text):
                    yield shown
            elif isinstance(event, MessageDone):
                for shown in splitter.end():
                    yield shown
                yield _without_thinking(event)
            else:
                if isinstance(event, ThinkingDelta):
                    splitter.note_thought(event.text)
                yield event


def _without_thinking(done: MessageDone) -> MessageDone:
    message = done.message
    if "<" not in message.text and "[" not in message.text:
        return done
    thoughts, text = split(message.text)
    if text == message.text:
        return done
    thinking = "\n".join(part for part in (message.thinking, thoughts) if part)
    return replace(done, message=replace(message, text=text, thinking=thinking))
