"""Asking the model for a summary, and what is made of its answer."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace

from minime_context.sizes import text_bytes
from minime_core.bounds import bound
from minime_core.errors import (
    ConnectionFailed,
    ContextOverflow,
    ProviderError,
    StreamCut,
    TurnStopped,
)
from minime_core.events import Heartbeat, MessageDone, ModelEvent, PromptProgress
from minime_core.messages import Message
from minime_core.middleware import ModelCall
from minime_core.models import ModelRequest, with_note
from minime_core.turn import Turn

INSTRUCTION = """\
Summarise our conversation so far for yourself: what you write now takes its place. Plain text, no \
tool calls, at most {words} words. Say
- what I asked for, and what was decided
- which files were read, made or changed, and how
- what commands and tests showed
- what is not done yet
Keep names, paths, numbers and error messages as they are."""
MERGE = "What the earlier summary says is kept: do not repeat it, tell what came after it."
WORDS_PER_TOKEN = 0.6
PATIENCE = 2
"""How many times longer than usual the server may be silent."""


@dataclass(slots=True)
class Summary:
    """A summary that is asked for.

    text: what the model wrote; "" when it wrote none.
    fault: why there is none, for the user.
    has_overflown: whether even the request for it was longer than the window.
    """

    text: str = ""
    fault: str = ""
    has_overflown: bool = False

    async def ask(
        self, request: ModelRequest, call_next: ModelCall
    ) -> AsyncGenerator[ModelEvent, None]:
        """Send a request that `summary_request` made; yield signs of life alone.

        Raises ConnectionFailed and StreamCut: a server that is gone answers the user neither.
        """
        done: MessageDone | None = None
        try:
            async with aclosing(call_next(request)) as events:
                async for event in events:
                    if isinstance(event, MessageDone):
                        done = event
                    yield event if isinstance(event, PromptProgress) else Heartbeat()
        except ContextOverflow:
            self.has_overflown = True
        except (ConnectionFailed, StreamCut):
            raise
        except (ProviderError, TurnStopped) as error:
            self.fault = str(error)
        if done is None:
            self.fault = self.fault or "the request for it did not fit"
            return
        self.text = _whole(done)
        if not self.text:
            wrote = "a call" if done.message.calls else "nothing"
            self.fault = f"the model wrote {wrote}"


def summary_request(
    request: ModelRequest,
    messages: Sequence[Message],
    *,
    most: int,
    prompt: str,
    wish: str,
    has_summary: bool,
) -> ModelRequest:
    """Return a request for a summary of `messages`, which begin with the system message.

    The prompt goes on as before, so that the server has read it already: tools stay, none may be
    called.

    most: tokens of the summary.
    prompt: the text that asks for it; "" for the built-in one.
    wish: what the user wants of this one.
    has_summary: whether the messages begin with a summary.
    """
    text = prompt or INSTRUCTION.format(words=int(most * WORDS_PER_TOKEN))
    text = "\n".join(filter(None, [text, wish, MERGE if has_summary else ""]))
    asked = replace(
        request,
        messages=tuple(messages),
        turn=Turn(question=text, first=request.turn.first, rounds=request.turn.rounds),
        tool_choice="none",
        max_tokens=most,
        schema=None,
        thinking="off",
        patience=PATIENCE,
    )
    if messages[-1].role == "assistant":
        question = Message(role="user", text=text)
        return replace(asked, messages=(*messages, question))
    # No template takes a user's message straight after a result.
    return with_note(asked, text)


def merged(old: str, new: str, limit: int) -> str:
    """Return two summaries as one of at most `limit` bytes.

    The old one is kept as it is, so that it does not fade with each further one; when both are too
    long, its middle goes first.
    """
    new = _cut(new, limit)
    if not old:
        return new
    room = limit - text_bytes(new) - 2
    return f"{_cut(old, room)}\n\n{new}" if room > limit // 8 else new


def _cut(text: str, limit: int) -> str:
    size = text_bytes(text)
    return text if size <= limit else bound(text, len(text) * limit // size)


def _whole(done: MessageDone) -> str:
    """Return the text of the answer, without a last line that was cut off."""
    text = done.message.text.strip()
    head, newline, _ = text.rpartition("\n")
    return head.rstrip() if done.finish_reason == "length" and newline else text
