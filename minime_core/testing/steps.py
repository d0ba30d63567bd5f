"""The pieces a reply of the fault server is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, Literal

from .gate import Gate

Auto = Literal["auto"]


@dataclass(frozen=True)
class Delta:
    """One chunk with this `delta`."""

    fields: Mapping[str, Any]


@dataclass(frozen=True)
class Call:
    """One tool call, its arguments cut in fragments of text or whole as one JSON object."""

    name: str
    fragments: tuple[str, ...] | tuple[Mapping[str, Any]]
    id: str | None
    index: int | Auto | None


@dataclass(frozen=True)
class Calls:
    """Tool calls that share their deltas."""

    calls: tuple[Call, ...]


@dataclass(frozen=True)
class Progress:
    """One chunk that tells how many tokens of the prompt were read."""

    processed: int
    total: int
    cache: int


@dataclass(frozen=True)
class Event:
    """One event with this data: text as it is, anything else as JSON."""

    data: Any


@dataclass(frozen=True)
class Failure:
    """An error: an event in a stream, the whole answer to a request that does not stream."""

    status: int
    body: Mapping[str, Any]


@dataclass(frozen=True)
class Raw:
    """Bytes of the body as they are."""

    data: bytes


@dataclass(frozen=True)
class Endless:
    """Steps that repeat until so many bytes were sent."""

    steps: tuple[Delta | Event | Raw, ...]
    limit: int


@dataclass(frozen=True)
class Finish:
    """The closing chunks of an answer."""

    reason: str | None = "auto"
    usage: Mapping[str, Any] | Auto | None = "auto"
    timings: Mapping[str, Any] | Auto | None = "auto"
    done: bool = True


class Ending(Enum):
    """How a body ends."""

    END = "the body is complete"
    CUT = "the connection is closed in mid-body"
    RESET = "the connection is reset"
    CRASH = "the server is gone"


Step = Delta | Calls | Progress | Event | Failure | Raw | Endless | Finish | Gate | Ending


def is_answer(steps: Sequence[Step]) -> bool:
    """Tell whether steps hold a piece of a model's answer, and not bytes and events alone."""
    return any(isinstance(step, Delta | Calls | Progress | Failure | Finish) for step in steps)


@dataclass(frozen=True)
class Reply:
    """One answer of the server: the steps of its body, and how its bytes go out.

    Attributes:
        steps: what is sent, in order.
        status: the HTTP status.
        headers: names in lower case; `content-type` replaces the one that the steps suggest.
        sizes: bytes of each HTTP chunk, in turn; empty for one chunk an event.
        line_end: what stands for a newline in an event stream.
        interruption: after how many bytes another reply takes over, and which.
    """

    steps: tuple[Step, ...] = ()
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    sizes: tuple[int, ...] = ()
    line_end: bytes = b"\n"
    interruption: tuple[int, Reply] | None = None

    def __add__(self, other: Reply) -> Reply:
        """Go on with the steps of another reply.

        Raises:
            ValueError: this reply has ended, or the other has a status, headers or modifiers:
                they belong to the whole reply and go with its first piece or with the sum.
        """
        if self.steps and isinstance(self.steps[-1], Ending):
            raise ValueError(f"nothing can follow: {self.steps[-1].value}")
        if other != Reply(other.steps):
            raise ValueError("status, headers and modifiers go with the first piece or the sum")
        return replace(self, steps=self.steps + other.steps)

    def crlf(self) -> Reply:
        """End the lines of an event stream in CR LF."""
        return replace(self, line_end=b"\r\n")

    def split(self, *sizes: int) -> Reply:
        """Send the body in HTTP chunks of these sizes, whatever they cut through.

        Args:
            sizes: bytes of each chunk; taken from the start again when all are used.

        Raises:
            ValueError: there is no size, or one below 1.
        """
        if not sizes or min(sizes) < 1:
            raise ValueError("split takes one or more sizes of at least one byte")
        return replace(self, sizes=sizes)

    def interrupted(self, after_bytes: int, by: Reply | None = None) -> Reply:
        """Break the body off.

        Args:
            after_bytes: how many bytes of the body are sent.
            by: what happens then, for example `reset()` or `stall()`; `cut()` by default.
        """
        return replace(self, interruption=(after_bytes, by or Reply((Ending.CUT,))))
