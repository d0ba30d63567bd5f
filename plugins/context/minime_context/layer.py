"""The layer around each request: it fits, or room is made; what came of it is counted."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

from minime_context.counting import SOURCE, Counting
from minime_context.measures import Measures
from minime_context.room import Room
from minime_context.settings import ContextSettings
from minime_context.tail import tail_of
from minime_core.errors import ContextOverflow
from minime_core.events import (
    ContextUsage,
    MessageDone,
    ModelEvent,
    Notice,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
)
from minime_core.messages import Message
from minime_core.middleware import ModelCall
from minime_core.models import ModelRequest
from minime_core.session import Session
from minime_core.turn import StashKey

COMPACT: StashKey[str | None] = StashKey()
"""On a turn: the user wants a summary of old turns now, with this wish for it."""
SAFETY = 1.02
"""How much higher than estimated a count may be."""
LEAST_ANSWER = 64
"""Tokens that an answer is given whatever is left."""
DENSEST = 6.0
"""Bytes a token, more than any prompt has: what is too long by this measure surely is."""
SHOWN = (TextDelta, ThinkingDelta, ToolCallDelta)


class Context:
    """The layer, for one session."""

    def __init__(self, session: Session, settings: ContextSettings, measures: Measures) -> None:
        self._session = session
        self._settings = settings
        self._measures = measures
        self.counting = Counting(session, measures)
        self.room = Room(session, settings, measures)

    def wrap(self, request: ModelRequest, call_next: ModelCall) -> AsyncGenerator[ModelEvent, None]:
        """Send the request within the window."""
        wish = request.turn.stash.get(COMPACT, None)
        if wish is not None:
            return self._compact(request, call_next, wish)
        return self._ask(request, call_next)

    async def _compact(
        self, request: ModelRequest, call_next: ModelCall, wish: str
    ) -> AsyncGenerator[ModelEvent, None]:
        async with aclosing(self.room.compact(request, call_next, wish)) as events:
            async for event in events:
                yield event
        yield MessageDone(message=Message(role="assistant"))

    async def _ask(
        self, request: ModelRequest, call_next: ModelCall
    ) -> AsyncGenerator[ModelEvent, None]:
        """Ask; once more when the server finds the request too long."""
        window = self._measures.window
        if window.tokens is None and not window.help:
            # The server was down when the session began.
            await window.ask()
        await self.counting.count_first(request)
        self._check_fixed(request)
        for is_second in (False, True):
            tail = tail_of(request.messages, self._session.history.view())
            if tail is not None and self._settings.enabled:
                async with aclosing(self.room.make(request, call_next)) as events:
                    async for event in events:
                        yield event
                request = replace(request, messages=tail.onto(self._session.history.view()))
            sent = self._clamped(request)
            is_shown = False
            try:
                async with aclosing(self._counted(sent, call_next)) as events:
                    async for event in events:
                        is_shown = is_shown or isinstance(event, SHOWN)
                        yield event
                return
            except ContextOverflow as overflow:
                if is_second or is_shown or not self._settings.enabled:
                    raise self._explained(overflow, request) from overflow
                self.counting.take_refusal(overflow, sent)
            text = "the request was too long for the server: making room, then asking once more"
            yield Notice("info", text, SOURCE)

    async def _counted(
        self, request: ModelRequest, call_next: ModelCall
    ) -> AsyncGenerator[ModelEvent, None]:
        """Pass the answer on, and what is to be said of it."""
        async with aclosing(call_next(request)) as events:
            async for event in events:
                yield event
                if not isinstance(event, MessageDone):
                    continue
                async for told in self.counting.take(request, event):
                    if self._settings.show_stats or not isinstance(told, ContextUsage):
                        yield told

    def _clamped(self, request: ModelRequest) -> ModelRequest:
        """Return `request` for an answer that still fits behind it."""
        sizes, meter, window = self._measures.all
        if window.tokens is None or request.max_tokens is None:
            return request
        used = meter.tokens(sizes.of(request.messages, request.tools))
        left = max(window.tokens - int(used * SAFETY), LEAST_ANSWER)
        if left >= request.max_tokens:
            return request
        return replace(request, max_tokens=left, is_clamped=True)

    def _check_fixed(self, request: ModelRequest) -> None:
        """Raise ContextOverflow where not even the fixed prompt can fit."""
        sizes, _, window = self._measures.all
        system = request.messages[0].role == "system"
        least = sizes.of_tools(request.tools)
        least += sizes.of_message(request.messages[0]) if system else 0
        if window.tokens is not None and least / DENSEST > window.tokens:
            needed = int(least / DENSEST)
            overflow = ContextOverflow("", needed=needed, window=window.tokens)
            raise self._explained(overflow, request)

    def _explained(self, overflow: ContextOverflow, request: ModelRequest) -> ContextOverflow:
        """Return the error with what takes the room, and what to do."""
        sizes, meter, window = self._measures.all
        system, *others = request.messages
        parts = {
            "system prompt": meter.part(sizes.of_message(system)),
            "tools": meter.part(sizes.of_tools(request.tools)),
            "conversation": meter.part(sum(map(sizes.of_message, others))),
        }
        shares = ", ".join(f"{name} {tokens:,}" for name, tokens in parts.items())
        how = f" ({window.help})" if window.help else ""
        return ContextOverflow(
            f"the request does not fit the model's window of {window.tokens or 'unknown size'}: "
            f"it takes about {shares} tokens. Give the server a larger window{how}, or use fewer "
            "tools",
            needed=overflow.needed,
            window=overflow.window,
            provider=overflow.provider,
            model=overflow.model,
        )
