"""The answer to a request that streams: server-sent events in llama-server's order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import cycle
from typing import Any

from .completion import Completion
from .gate import Gate
from .json_body import compact_json
from .steps import (
    Call,
    Calls,
    Delta,
    Ending,
    Endless,
    Event,
    Failure,
    Finish,
    Progress,
    Raw,
    Step,
    is_answer,
)

_ROLE = {"role": "assistant", "content": None}


class StreamAnswer:
    """The events of one streamed answer."""

    def __init__(self, completion: Completion) -> None:
        self._completion = completion
        self._role_sent = False
        self._deltas = 0
        self._calls = 0
        self._called = False

    def actions(self, steps: Sequence[Step]) -> Iterator[bytes | Gate | Ending]:
        """Give what is sent, where the server waits, and how the body ends."""
        for step in steps:
            if isinstance(step, Gate):
                yield step
            elif isinstance(step, Ending):
                yield step
                return
            else:
                yield from self._step(step)
        if is_answer(steps) and not any(isinstance(step, Finish) for step in steps):
            yield from self._finish(Finish())

    def _step(
        self, step: Delta | Calls | Progress | Event | Failure | Raw | Endless | Finish
    ) -> Iterator[bytes]:
        match step:
            case Raw(data):
                yield data
            case Event(data) | Failure(body=data):
                yield _event(data)
            case Delta(fields):
                yield from self._delta(fields)
            case Calls(calls):
                yield from self._call(calls)
            case Progress(processed, total, cache):
                read = {"total": total, "cache": cache, "processed": processed}
                yield self._chunk(_ROLE, prompt_progress={**read, "time_ms": processed})
            case Endless(repeated, limit):
                yield from self._endless(repeated, limit)
            case Finish():
                yield from self._finish(step)

    def _role(self) -> Iterator[bytes]:
        if not self._role_sent:
            self._role_sent = True
            yield self._chunk(_ROLE)

    def _delta(self, fields: Mapping[str, Any]) -> Iterator[bytes]:
        yield from self._role()
        self._deltas += 1
        self._called = self._called or "tool_calls" in fields
        yield self._chunk(fields)

    def _call(self, calls: Sequence[Call]) -> Iterator[bytes]:
        first = self._calls
        self._calls += len(calls)
        for number in range(max(len(call.fragments) for call in calls)):
            items = [
                self._fragment(call, first + place, number)
                for place, call in enumerate(calls)
                if number < len(call.fragments)
            ]
            yield from self._delta({"tool_calls": items})

    def _fragment(self, call: Call, position: int, number: int) -> dict[str, Any]:
        index = position if call.index == "auto" else call.index
        item: dict[str, Any] = {} if index is None else {"index": index}
        function = {"arguments": call.fragments[number]}
        if number == 0:
            item |= {**self._completion.call_id(call, position), "type": "function"}
            function = {"name": call.name, **function}
        return {**item, "function": function}

    def _endless(self, steps: Sequence[Delta | Event | Raw], limit: int) -> Iterator[bytes]:
        if any(isinstance(step, Delta) for step in steps):
            yield from self._role()
        sent = 0
        for piece in cycle([piece for step in steps for piece in self._step(step)]):
            if sent >= limit:
                return
            yield piece
            sent += len(piece)

    def _finish(self, finish: Finish) -> Iterator[bytes]:
        yield from self._role()
        figures = self._completion.figures(finish, self._deltas)
        usage = figures.pop("usage", None)
        with_usage = usage is not None and self._completion.include_usage
        reason = finish.reason
        if reason == "auto":
            reason = "tool_calls" if self._called else "stop"
        if reason is not None:
            yield self._chunk({}, reason, **({} if with_usage else figures))
        if with_usage:
            yield self._envelope([], usage=usage, **figures)
        if finish.done:
            yield _event("[DONE]")

    def _chunk(self, delta: Mapping[str, Any], reason: str | None = None, **extra: Any) -> bytes:
        choice = {"finish_reason": reason, "index": 0, "delta": delta}
        return self._envelope([choice], **extra)

    def _envelope(self, choices: list[dict[str, Any]], **extra: Any) -> bytes:
        return _event(self._completion.envelope("chat.completion.chunk", choices, **extra))


def _event(data: Any) -> bytes:
    written = data if isinstance(data, str) else compact_json(data)
    return f"data: {written}\n\n".encode()
