"""The line after a turn: how long it took, what it cost, how many commands and skills it used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from time import monotonic

from minime_core.events import ContextUsage, Event, MessageDone, ToolDone
from minime_core.tools import Tool
from minime_terminal import figures
from minime_terminal.signs import Signs

ALWAYS = ("command", "skill")
"""What is counted whatever tools there are: that none was used tells something too."""


class Summary:
    """Counts the events of a turn. What the server did not tell is not shown.

    tools: those of the session; what they are counted as is shown even when it is none.
    clock: seconds.
    """

    def __init__(
        self, tools: Mapping[str, Tool], signs: Signs, clock: Callable[[], float] = monotonic
    ) -> None:
        self._signs = signs
        self._clock = clock
        self._start = clock()
        self._kinds = {name: tool.tally for name, tool in tools.items() if tool.tally}
        self._counts: Counter[str] = Counter()
        self._read: list[int] = []
        self._cached: list[int] = []
        self._written: list[int] = []
        self._generated = (0, 0.0)
        self._context: ContextUsage | None = None

    def see(self, event: Event) -> None:
        """Take notice of an event."""
        if isinstance(event, ToolDone):
            if event.ran and event.name in self._kinds:
                self._counts[self._kinds[event.name]] += 1
        elif isinstance(event, ContextUsage):
            self._context = event
        elif isinstance(event, MessageDone):
            usage, timings = event.usage, event.timings
            if usage.prompt_tokens is not None:
                self._read.append(usage.prompt_tokens)
                self._cached.append(usage.cached_tokens or 0)
            if usage.completion_tokens is not None:
                self._written.append(usage.completion_tokens)
            if timings.generated_tokens and timings.generation_ms:
                count, milliseconds = self._generated
                self._generated = (
                    count + timings.generated_tokens,
                    milliseconds + timings.generation_ms,
                )

    def skip(self, seconds: float) -> None:
        """Leave out time that passed."""
        self._start += seconds

    def facts(self) -> list[str]:
        """Return what is known of the turn so far, for one line."""
        parts = [figures.seconds(self._clock() - self._start)]
        if self._read:
            parts.append(f"{figures.tokens(sum(self._read))} tokens in{self._how_read()}")
        if self._written:
            parts.append(f"{figures.tokens(sum(self._written))} out")
        count, milliseconds = self._generated
        if milliseconds:
            parts.append(f"{count * 1000 / milliseconds:.1f} tokens/s")
        if self._context is not None and self._context.window:
            used, window = self._context.used, self._context.window
            parts.append(f"window {figures.tokens(used)}/{figures.tokens(window)}")
        return [*parts, self._signs.dot.join(self._tallies())]

    def _tallies(self) -> Iterator[str]:
        for kind in sorted({*ALWAYS, *self._kinds.values()}):
            sign = self._signs.tallies.get(kind, "")
            yield f"{sign}{figures.counted(self._counts[kind], kind)}"

    def _how_read(self) -> str:
        facts = []
        if sum(self._read) and sum(self._cached):
            facts.append(f"{round(100 * sum(self._cached) / sum(self._read))} % cached")
        if self._context is not None and self._context.prefill_per_second is not None:
            facts.append(f"{self._context.prefill_per_second:.0f}/s")
        return f" ({', '.join(facts)})" if facts else ""
