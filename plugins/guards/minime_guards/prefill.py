"""How long this server needs to read a prompt, learnt from how long it needed before."""

from __future__ import annotations

import time

from minime_core.events import MessageDone, ModelEvent, PromptProgress
from minime_core.models import ModelRequest
from minime_core.turn import StashKey

CHARACTERS_PER_TOKEN = 3
"""Fewer than most tokenizers have, so that a prompt is thought longer than it is."""
MIN_SAMPLE = 200
"""Tokens that have to be read for a speed to be believed: a request has a fixed cost as well."""


class PrefillSpeed:
    """The speed of one server in tokens a second; None until it was measured."""

    def __init__(self) -> None:
        self.tokens_per_second: float | None = None

    def estimate(self, request: ModelRequest) -> float:
        """Return the seconds that reading `request` may take, 0 when nothing is known."""
        if self.tokens_per_second is None:
            return 0.0
        return _characters(request) / CHARACTERS_PER_TOKEN / self.tokens_per_second

    def learn(self, tokens: int | None, seconds: float) -> None:
        """Note that reading `tokens` took `seconds`."""
        if tokens is not None and tokens >= MIN_SAMPLE and seconds > 0:
            self.tokens_per_second = tokens / seconds


PREFILL: StashKey[PrefillSpeed] = StashKey()
"""In a session's stash: the speed of its server."""


class PrefillClock:
    """Watches one answer and tells a `PrefillSpeed` what can be learnt from it."""

    def __init__(self, speed: PrefillSpeed) -> None:
        self._speed = speed
        self._start: tuple[int, float] | None = None

    def see(self, event: ModelEvent) -> None:
        """Take note of an event that came now."""
        if isinstance(event, PromptProgress):
            now = time.monotonic()
            if self._start is None:
                self._start = (event.done, now)
            done, since = self._start
            self._speed.learn(event.done - done, now - since)
        elif isinstance(event, MessageDone) and event.timings.prompt_ms is not None:
            self._speed.learn(event.timings.prompt_tokens, event.timings.prompt_ms / 1000)


def _characters(request: ModelRequest) -> int:
    messages = sum(
        len(m.text) + sum(len(str(call.arguments)) for call in m.calls) for m in request.messages
    )
    return messages + sum(len(t.description) + len(str(t.schema)) for t in request.tools)
