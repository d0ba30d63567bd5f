"""What frontends are told after each answer."""

from __future__ import annotations

from minime_core.events import ContextUsage, MessageDone

MIN_SAMPLE = 32
"""Tokens that have to be read or written for a speed to mean something: a request has a fixed cost
as well."""


class Gauge:
    """The figures of the last answer. A speed stays until there is a better one.

    last: what was told last, None before the first answer.
    """

    def __init__(self) -> None:
        self.last: ContextUsage | None = None
        self._prefill: float | None = None
        self._generation: float | None = None

    def read(self, done: MessageDone, used: int, window: int | None) -> ContextUsage:
        """Return the figures of an answer.

        used: tokens of the conversation with this answer.
        """
        timings, usage = done.timings, done.usage
        self._prefill = _speed(timings.prompt_tokens, timings.prompt_ms) or self._prefill
        self._generation = (
            _speed(timings.generated_tokens, timings.generation_ms) or self._generation
        )
        cached = None
        if usage.cached_tokens is not None and usage.prompt_tokens:
            cached = min(usage.cached_tokens / usage.prompt_tokens, 1.0)
        self.last = ContextUsage(
            used=used,
            window=window,
            cached_share=cached,
            prefill_per_second=self._prefill,
            generation_per_second=self._generation,
        )
        return self.last


def _speed(tokens: int | None, milliseconds: float | None) -> float | None:
    if tokens is None or tokens < MIN_SAMPLE or not milliseconds:
        return None
    return tokens * 1000 / milliseconds
