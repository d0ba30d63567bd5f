"""Chunks of a chat completion in, model events out: every oddity of real servers is dealt with here."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from minime_core.errors import ProtocolError
from minime_core.events import (
    Heartbeat,
    MessageDone,
    ModelEvent,
    PromptProgress,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
)
from minime_core.messages import Message, Timings, ToolCall, Usage


@dataclass(slots=True, eq=False)
class _Call:
    """A call that is being written."""

    id: str = ""
    name: str = ""
    fragments: list[str] = field(default_factory=list)

    @property
    def arguments(self) -> str:
        return "".join(self.fragments)

    def is_complete(self) -> bool:
        text = self.arguments.strip()
        return text.endswith("}") and _is_json(text)


class Assembler:
    """Collects the chunks of one answer."""

    def __init__(self) -> None:
        self._text: list[str] = []
        self._thinking: list[str] = []
        self._calls: list[_Call] = []
        self._by_index: dict[int, _Call] = {}
        self._usage: Mapping[str, Any] = {}
        self._timings: Mapping[str, Any] = {}
        self.finish_reason = ""

    def feed(self, chunk: object) -> Iterator[ModelEvent]:
        """Yield the events of one chunk. Raises ProtocolError when it is not one."""
        if not isinstance(chunk, dict):
            raise ProtocolError(f"the server sent {_short(chunk)} instead of a chunk of an answer")
        self._note_counts(chunk)
        progress = chunk.get("prompt_progress")
        if isinstance(progress, dict):
            yield PromptProgress(
                _number(progress.get("processed")) or 0,
                _number(progress.get("total")) or 0,
                _number(progress.get("cache")) or 0,
            )
        choices = chunk.get("choices")
        if not isinstance(choices, list) or not choices:
            return
        choice = choices[0]
        if not isinstance(choice, dict):
            raise ProtocolError(f"the server sent {_short(choice)} instead of a choice")
        self._note_counts(choice)
        # Servers that cannot stream send the whole `message` in one piece.
        delta = choice.get("delta") or choice.get("message") or {}
        if not isinstance(delta, dict):
            raise ProtocolError(f"the server sent {_short(delta)} instead of a message")
        yield from self._delta(delta)
        if isinstance(choice.get("finish_reason"), str):
            self.finish_reason = choice["finish_reason"]

    def _delta(self, delta: Mapping[str, Any]) -> Iterator[ModelEvent]:
        said = False
        thinking = _text(delta.get("reasoning_content")) or _text(delta.get("reasoning"))
        if thinking:
            said = True
            self._thinking.append(thinking)
            yield ThinkingDelta(thinking)
        text = _text(delta.get("content"))
        if text:
            said = True
            self._text.append(text)
            yield TextDelta(text)
        calls = delta.get("tool_calls")
        for call in calls if isinstance(calls, list) else ():
            if isinstance(call, dict):
                said = True
                yield self._tool_call(call)
        if not said:
            yield Heartbeat()

    def _tool_call(self, delta: Mapping[str, Any]) -> ToolCallDelta:
        function = delta.get("function")
        function = function if isinstance(function, dict) else delta
        name = function.get("name") if isinstance(function.get("name"), str) else ""
        arguments = function.get("arguments")
        if isinstance(arguments, (dict, list)):
            arguments = json.dumps(arguments, ensure_ascii=False)
        fragment = arguments if isinstance(arguments, str) else ""
        call_id = delta.get("id") if isinstance(delta.get("id"), str) else ""
        call = self._slot(delta.get("index"), call_id or "", name or "", fragment)
        call.id, call.name = call.id or call_id or "", call.name or name or ""
        if fragment:
            call.fragments.append(fragment)
        return ToolCallDelta(self._calls.index(call), call.name, fragment)

    def _slot(self, index: object, call_id: str, name: str, fragment: str) -> _Call:
        """Return the call that a piece belongs to.

        Some servers give no index, or the same one to each call: another id or name, or more after
        complete arguments, begins a new call.
        """
        known = self._by_index.get(index) if isinstance(index, int) else None
        if not isinstance(index, int) and self._calls:
            known = self._calls[-1]
        is_new = (
            known is None
            or bool(call_id and known.id and call_id != known.id)
            or bool(name and known.name and name != known.name)
            or bool((name or fragment.lstrip()[:1] == "{") and known.is_complete())
        )
        if is_new or known is None:
            known = _Call()
            self._calls.append(known)
            if isinstance(index, int):
                self._by_index[index] = known
        return known

    def done(self) -> MessageDone:
        """Return the whole answer."""
        message = Message(
            role="assistant",
            text="".join(self._text),
            thinking="".join(self._thinking),
            calls=tuple(_finished(call) for call in self._calls if call.name or call.fragments),
        )
        return MessageDone(
            message=message,
            usage=_usage(self._usage, self._timings),
            timings=_timings(self._timings),
            finish_reason=self.finish_reason,
        )

    def _note_counts(self, holder: Mapping[str, Any]) -> None:
        groq = holder.get("x_groq")
        for place in (holder, groq if isinstance(groq, dict) else {}):
            if isinstance(place.get("usage"), dict):
                self._usage = place["usage"]
        if isinstance(holder.get("timings"), dict):
            self._timings = holder["timings"]


def _finished(call: _Call) -> ToolCall:
    raw = call.arguments
    try:
        arguments = json.loads(raw) if raw.strip() else {}
    except (ValueError, RecursionError):
        arguments = None
    if isinstance(arguments, dict):
        return ToolCall(name=call.name, arguments=arguments)
    return ToolCall(name=call.name, arguments={}, raw=raw)


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


def _text(content: object) -> str:
    """Return the text of a content that is text, nothing, or a list of parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        texts = (part.get("text") for part in content if isinstance(part, dict))
        return "".join(text for text in texts if isinstance(text, str))
    return ""


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _real(value: object) -> float | None:
    return float(value) if isinstance(value, (int, float)) and value >= 0 else None


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=True, default=str)
    return text if len(text) < 80 else text[:77] + "..."
