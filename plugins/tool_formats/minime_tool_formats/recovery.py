"""The layer that makes calls of what a model wrote into its answer as text."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing
from dataclasses import replace

from minime_core.events import (
    Continue,
    Heartbeat,
    MessageDone,
    ModelEvent,
    Retracted,
    TextDelta,
    ToolCallDelta,
)
from minime_core.formats import ToolFormat
from minime_core.messages import Message, ToolCall
from minime_core.middleware import ModelCall
from minime_core.models import ModelRequest
from minime_core.session import Session
from minime_core.turn import StashKey
from minime_tool_formats.answer_text import AnswerText
from minime_tool_formats.finder import Finder, last_calls
from minime_tool_formats.markdown import Place
from minime_tool_formats.names import unwrapped
from minime_tool_formats.nudge import nudge
from minime_tool_formats.splitter import Splitter

_NUDGED: StashKey[bool] = StashKey()


class Recovery:
    """See the module.

    A call is made if its tool is known and its arguments are valid. One whose arguments were cut,
    or are no JSON, is left with them in `raw` for the layers outside to answer. A call that came
    over the protocol wins over all text of the same message.
    """

    def __init__(self, session: Session) -> None:
        self._tools = session.tools
        self._max_turns = session.settings.max_turns
        self._formats = _formats(session)

    def wrap(self, request: ModelRequest, call_next: ModelCall) -> AsyncGenerator[ModelEvent, None]:
        """Pass the request on, and read the answer."""
        if not self._tools:
            return call_next(request)
        return self._read(request, call_next)

    async def _read(
        self, request: ModelRequest, call_next: ModelCall
    ) -> AsyncGenerator[ModelEvent, None]:
        if request.turn.reason == "unexecuted":
            # That would have been the end of the turn, but another layer asked again.
            request.turn.reason = None
        answer = self._answer(request)
        async with aclosing(call_next(request)) as events:
            async for event in events:
                # The most frequent kind first: an answer has thousands of pieces.
                if isinstance(event, TextDelta):
                    shown = answer.feed(event.text)
                    yield TextDelta(shown) if shown else Heartbeat()
                elif isinstance(event, MessageDone):
                    for last in self._finish(request, answer, event):
                        yield last
                elif isinstance(event, ToolCallDelta):
                    if held := answer.give_up():
                        yield TextDelta(held)
                    yield event
                else:
                    if isinstance(event, Retracted) and not event.thinking_only:
                        answer = self._answer(request)
                    yield event

    def _answer(self, request: ModelRequest) -> AnswerText:
        finder = Finder(self._formats, self._tools, self._accept)
        return AnswerText(finder, is_json=request.schema is not None)

    def _accept(self, call: ToolCall) -> ToolCall | None:
        name = unwrapped(call.name, self._tools)
        tool = self._tools.get(name)
        if tool is None or (call.raw is None and tool.faults(call.arguments)):
            return None
        return replace(call, name=name)

    def _finish(
        self, request: ModelRequest, answer: AnswerText, done: MessageDone
    ) -> Iterator[ModelEvent]:
        message = done.message
        if not answer.was_fed and (shown := answer.feed(message.text)):
            yield TextDelta(shown)
        if message.calls:
            if held := answer.give_up():
                yield TextDelta(held)
            yield done
            return
        found = answer.end()
        broken = found.broken if self._may_call(request) else None
        is_nudge = broken is not None and not request.turn.stash.get(_NUDGED, False)
        rest = found.text
        if found.broken is not None and not is_nudge:
            rest += found.broken.text
        if rest:
            yield TextDelta(rest)
        if found.calls or is_nudge:
            text = answer.shown + rest
            message = replace(message, text=text if text.strip() else "", calls=found.calls)
        elif not message.text.strip():
            message = self._from_thinking(message)
        yield replace(done, message=message)
        if broken is not None and is_nudge:
            request.turn.stash.set(_NUDGED, True)
            yield Continue(note=nudge(broken, self._tools))
        elif broken is not None:
            request.turn.reason = "unexecuted"

    def _may_call(self, request: ModelRequest) -> bool:
        """Return whether a call in this answer would be run; none is in the last one of a turn."""
        return request.tool_choice != "none" and request.turn.rounds <= self._max_turns

    def _from_thinking(self, message: Message) -> Message:
        splitter = Splitter(self._formats, self._tools, self._accept)
        segments = splitter.split(message.thinking, Place(), is_final=True)
        first, last = last_calls(segments)
        around = (*segments[:first], *segments[last:])
        return replace(
            message,
            thinking="".join(segment.text for segment in around),
            calls=tuple(call for segment in segments[first:last] for call in segment.calls),
        )


def _formats(session: Session) -> Sequence[ToolFormat]:
    """Return the formats whose calls are found by openers, that of the profile first."""
    found = [known for known in session.formats.values() if known.openers or known.heads]
    return sorted(found, key=lambda known: known.name != session.settings.tool_format)
