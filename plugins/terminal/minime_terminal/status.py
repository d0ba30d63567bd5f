"""What the model or a tool is doing right now, in one line."""

from __future__ import annotations

import time
from collections.abc import Callable

from minime_core.events import (
    Event,
    MessageDone,
    PromptProgress,
    Retracted,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
    ToolDone,
    ToolStarted,
)
from minime_terminal import figures

WAITING = "Waiting for the server"
MIN_SHOWN = 1.0
"""Seconds after which a phase tells how long it lasts."""
MIN_MEASURED = 0.3
"""Seconds of reading after which its speed can be told."""


class Status:
    """Follows the events of a turn.

    more: the sign between two facts.
    clock: seconds.
    """

    def __init__(self, more: str = "·", clock: Callable[[], float] = time.monotonic) -> None:
        self._more = more
        self._clock = clock
        self._phase = WAITING
        self._since = clock()
        self._written = 0
        self._reading: PromptProgress | None = None
        self._reading_since = (0.0, 0)
        """When the reading of this prompt was first told of, and how far it was then."""

    def see(self, event: Event) -> None:
        """Take notice of an event."""
        # The most frequent kinds first.
        if isinstance(event, TextDelta):
            self._enter("Writing")
        elif isinstance(event, ThinkingDelta):
            self._enter("Thinking")
        elif isinstance(event, ToolCallDelta):
            self._enter("Composing a tool call")
            self._written += len(event.arguments.encode("utf-8", "replace"))
        elif isinstance(event, PromptProgress):
            if self._reading is None or event.done < self._reading.done:
                self._reading_since = self._clock(), event.done
            self._enter("Reading the prompt")
            self._reading = event
        elif isinstance(event, ToolStarted):
            self._enter(f"Running {event.call.name}")
        elif isinstance(event, (MessageDone, ToolDone, Retracted)):
            self._enter(WAITING)

    def stop(self) -> None:
        """The turn is being stopped; what runs takes its time to end."""
        self._enter("Stopping")

    def restart(self) -> None:
        """Count the seconds of this phase from now on."""
        self._since = self._clock()

    def line(self) -> str:
        """Return the phase with what is known of it; the name of a tool in it is not clean."""
        lasted = self._clock() - self._since
        parts = [self._phase]
        if (reading := self._reading) is not None:
            parts.append(f"{figures.tokens(reading.done)}/{figures.tokens(reading.total)}")
            if (left := self._seconds_left(reading)) is not None:
                return f"{' '.join(parts)} {self._more} {figures.whole_seconds(left)} left"
        if self._written:
            parts.append(f"({figures.size(self._written)})")
        if lasted >= MIN_SHOWN:
            parts.append(figures.whole_seconds(int(lasted)))
        return " ".join(parts)

    def _enter(self, phase: str) -> None:
        if phase == self._phase:
            return
        self._phase, self._since = phase, self._clock()
        self._written = 0
        self._reading = None

    def _seconds_left(self, progress: PromptProgress) -> float | None:
        """Return how long the rest of the prompt takes at the speed so far, None when unknown."""
        begun_at, begun_with = self._reading_since
        lasted, read = self._clock() - begun_at, progress.done - begun_with
        if lasted < MIN_MEASURED or read <= 0:
            return None
        return max(progress.total - progress.done, 0) * lasted / read
