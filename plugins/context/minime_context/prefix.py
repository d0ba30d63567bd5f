"""What of the prompt changed when the server had to read more of it than it should.

A server keeps what it has read, and reads only what follows the longest common beginning of two
prompts. This layer is the innermost, so that it sees what is really sent.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

from minime_core.events import MessageDone, ModelEvent, Notice
from minime_core.history import History
from minime_core.messages import Usage
from minime_core.middleware import ModelCall
from minime_core.models import ModelRequest
from minime_core.records import Rewrite

KEPT = 0.8
"""Part of what could have been kept below which something was lost."""
SLACK = 64
"""Tokens that servers read again in any case."""


@dataclass(frozen=True, slots=True)
class _Sent:
    request: ModelRequest
    prompt_tokens: int | None
    records: int


class Prefix:
    """The layer, for one session.

    broken: what changed when the cache was of less use than it could have been, "" until then.
    """

    def __init__(self, history: History, *, is_debug: bool) -> None:
        self.broken = ""
        self._history = history
        self._is_debug = is_debug
        self._last: _Sent | None = None

    async def wrap(
        self, request: ModelRequest, call_next: ModelCall
    ) -> AsyncGenerator[ModelEvent, None]:
        """Pass the request on and compare it with the one before it."""
        async with aclosing(call_next(request)) as events:
            async for event in events:
                yield event
                if isinstance(event, MessageDone) and (told := self._compare(request, event.usage)):
                    yield told

    def _compare(self, request: ModelRequest, usage: Usage) -> Notice | None:
        last = self._last
        self._last = _Sent(request, usage.prompt_tokens, len(self._history.records))
        if last is None or last.prompt_tokens is None or usage.cached_tokens is None:
            return None
        lost = last.prompt_tokens - usage.cached_tokens
        if usage.cached_tokens >= KEPT * last.prompt_tokens or lost <= SLACK:
            return None
        change = first_change(last.request, request)
        self.broken = (
            f"{change}{self._why(last.records)}: of {last.prompt_tokens:,} tokens the server had "
            f"{usage.cached_tokens:,} in its cache"
        )
        return Notice("info", f"cache lost, {self.broken}", "context") if self._is_debug else None

    def _why(self, since: int) -> str:
        """Return which rewrites of ours there were, as a clause."""
        new = [r.why for r in self._history.records[since:] if isinstance(r, Rewrite)]
        return f" ({', '.join(dict.fromkeys(new))})" if new else ""


def first_change(before: ModelRequest, now: ModelRequest) -> str:
    """Return what of the prompt is not as it was, counted from its beginning."""
    if before.tools is not now.tools and tuple(before.tools) != tuple(now.tools):
        return "the tools changed"
    pairs = zip(before.messages, now.messages, strict=False)
    for number, (old, new) in enumerate(pairs):
        if old is not new and old != new:
            what = "the system prompt" if new.role == "system" else f"message {number} ({new.role})"
            return f"{what} changed"
    if len(now.messages) < len(before.messages):
        return f"what came after message {len(now.messages) - 1} is gone"
    if changed := _changed_fields(before, now):
        return f"the messages went on as before, but {changed} changed"
    return "the prompt went on as before, so it was the server that let it go"


def _changed_fields(before: ModelRequest, now: ModelRequest) -> str:
    """Return which fields of the request differ that templates may read, as one list."""
    names = sorted({*before.extra} | {*now.extra})
    return ", ".join(name for name in names if before.extra.get(name) != now.extra.get(name))
