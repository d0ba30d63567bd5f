"""Chunks of a chat completion in, model events out: the oddities of real servers end here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from minime_core.errors import ProtocolError
from minime_core.events import (
    Heartbeat,
    MessageDone,
    ModelEvent,
    PromptProgress,
    TextDelta,
    ThinkingDelta,
)
from minime_core.messages import Message, Timings, Usage, clean_text
from minime_providers.calls import CallAssembler


class Assembler:
    """Collects the chunks of one answer.

    has_begun: whether there was a piece of an answer, be it an empty one.
    finish_reason: why the server says that the answer ended, "" until then.
    """

    def __init__(self) -> None:
        self.has_begun = False
        self.finish_reason = ""
        self._text = _Prose()
        self._thinking = _Prose()
        self._calls = CallAssembler()
        self._usage: Mapping[str, Any] = {}
        self._timings: Mapping[str, Any] = {}

    def feed(self, chunk: object) -> list[ModelEvent]:
        """Return the events of one chunk, at least one. Raises ProtocolError when it is not one."""
        if not isinstance(chunk, dict):
            raise _unexpected(chunk, "a chunk of its answer")
        self._note_counts(chunk)
        choices = chunk.get("choices")
        if isinstance(choices, list) and choices:
            events = self._choice(choices[0])
            if events:
                return events
        progress = chunk.get("prompt_progress")
        return [_progress(progress) if isinstance(progress, dict) else Heartbeat()]

    def done(self) -> MessageDone:
        """Return the whole answer."""
        message = Message(
            role="assistant",
            text=self._text.whole(),
            thinking=self._thinking.whole(),
            calls=self._calls.whole(),
        )
        return MessageDone(
            message=message,
            usage=_usage(self._usage, self._timings),
            timings=_timings(self._timings),
            finish_reason=self.finish_reason,
        )

    def _choice(self, choice: object) -> list[ModelEvent]:
        if not isinstance(choice, dict):
            raise _unexpected(choice, "a choice")
        self.has_begun = True
        self._note_counts(choice)
        reason = choice.get("finish_reason")
        if reason and isinstance(reason, str):
            self.finish_reason = reason
        delta = choice.get("delta")
        if delta is None:
            # Servers that cannot stream send the whole message in one piece.
            delta = choice.get("message")
        if not delta:
            return []
        if not isinstance(delta, dict):
            raise _unexpected(delta, "a message")
        return self._delta(delta)

    def _delta(self, delta: Mapping[str, Any]) -> list[ModelEvent]:
        events: list[ModelEvent] = []
        thought = _plain(delta.get("reasoning_content")) or _plain(delta.get("reasoning"))
        if thought and (thought := self._thinking.add(thought)):
            events.append(ThinkingDelta(thought))
        text = _plain(delta.get("content"))
        if text and (text := self._text.add(text)):
            events.append(TextDelta(text))
        calls = delta.get("tool_calls")
        if isinstance(calls, list):
            events += [self._calls.add(call) for call in calls if isinstance(call, dict)]
        return events

    def _note_counts(self, holder: Mapping[str, Any]) -> None:
        groq = holder.get("x_groq")
        for place in (holder, groq) if isinstance(groq, dict) else (holder,):
            if isinstance(usage := place.get("usage"), dict):
                self._usage = usage
        if isinstance(timings := holder.get("timings"), dict):
            self._timings = timings


class _Prose:
    """Text in pieces. Half of a UTF-16 pair at the end of a piece waits for the other half."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._half = ""

    def add(self, piece: str) -> str:
        """Return what can be shown now that `piece` has come."""
        if self._half or not piece.isascii():
            piece = self._half + piece
            self._half = piece[-1] if "\ud800" <= piece[-1] <= "\udbff" else ""
            piece = clean_text(piece.removesuffix(self._half))
        if piece:
            self._pieces.append(piece)
        return piece

    def whole(self) -> str:
        return "".join(self._pieces)


def _unexpected(value: object, expected: str) -> ProtocolError:
    return ProtocolError(f"the server sent a {type(value).__name__} as {expected}")


def _progress(progress: Mapping[str, Any]) -> PromptProgress:
    return PromptProgress(
        _number(progress.get("processed")) or 0,
        _number(progress.get("total")) or 0,
        _number(progress.get("cache")) or 0,
    )


def _usage(usage: Mapping[str, Any], timings: Mapping[str, Any]) -> Usage:
    details = usage.get("prompt_tokens_details")
    cached = _number(details.get("cached_tokens")) if isinstance(details, dict) else None
    if cached is None:
        cached = _number(timings.get("cache_n"))
    return Usage(
        prompt_tokens=_number(usage.get("prompt_tokens")),
        completion_tokens=_number(usage.get("completion_tokens")),
        cached_tokens=cached,
    )


def _timings(timings: Mapping[str, Any]) -> Timings:
    return Timings(
        prompt_tokens=_number(timings.get("prompt_n")),
        prompt_ms=_real(timings.get("prompt_ms")),
        generated_tokens=_number(timings.get("predicted_n")),
        generation_ms=_real(timings.get("predicted_ms")),
    )


def _plain(content: object) -> str:
    """Return the text of a content that is text, nothing, or a list of parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        texts = (part.get("text") for part in content if isinstance(part, dict))
        return "".join(text for text in texts if isinstance(text, str))
    return ""


def _number(value: object) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 53:
        return value
    return None


def _real(value: object) -> float | None:
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < 1 << 53:
        return float(value)
    return None
