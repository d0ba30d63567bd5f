"""What came of one question, and how to assert it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from minime_core.errors import MinimeError
from minime_core.events import Event, Notice, TextDelta, ToolDone, ToolStarted, TurnDone
from minime_core.messages import ToolCall

E = TypeVar("E")


class Transcript:
    """The events of one turn.

    events: all of them, in order.
    """

    def __init__(self, events: Sequence[Event]) -> None:
        self.events = events

    @property
    def done(self) -> TurnDone:
        """The end of the turn."""
        return self.only(TurnDone)

    @property
    def answer(self) -> str:
        """The whole answer."""
        return self.done.text

    @property
    def error(self) -> MinimeError | None:
        """What made the turn fail, None when it did not."""
        return self.done.error

    @property
    def shown(self) -> str:
        """All text that was shown, withdrawn or not."""
        return "".join(event.text for event in self.of(TextDelta))

    @property
    def calls(self) -> list[ToolCall]:
        """The calls of tools, run or not, as they are in the history."""
        return [event.call for event in self.of(ToolStarted)]

    @property
    def results(self) -> list[str]:
        """What the model read of each call."""
        return [event.text for event in self.of(ToolDone)]

    @property
    def notices(self) -> list[str]:
        """What the user was told besides the answer."""
        return [event.text for event in self.of(Notice)]

    def of(self, kind: type[E]) -> list[E]:
        """Return the events of one kind."""
        return [event for event in self.events if isinstance(event, kind)]

    def only(self, kind: type[E]) -> E:
        """Return the one event of a kind. Raises AssertionError when there is none, or several."""
        found = self.of(kind)
        if len(found) != 1:
            raise AssertionError(f"{len(found)} events are {kind.__name__}; {self}")
        return found[0]

    def assert_order(self, *expected: type | Event) -> None:
        """Assert that these happened one after the other, whatever happened between them.

        expected: kinds of events, or events that have to be equal.

        Raises AssertionError that says which is missing and what did happen.
        """
        events = iter(self.events)
        for place, wanted in enumerate(expected):
            if not any(_fits(event, wanted) for event in events):
                after = f" after {_name(expected[place - 1])}" if place else ""
                raise AssertionError(f"no {_name(wanted)}{after}; {self}")

    def __str__(self) -> str:
        return "there were:" + "".join(f"\n  {event!r:.200}" for event in self.events)


def _fits(event: Event, wanted: type | Event) -> bool:
    return isinstance(event, wanted) if isinstance(wanted, type) else event == wanted


def _name(wanted: type | Event) -> str:
    return wanted.__name__ if isinstance(wanted, type) else repr(wanted)
