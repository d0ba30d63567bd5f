"""One question until its answer: what lasts for that long."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar, cast

from minime_core.events import Event, TurnReason

T = TypeVar("T")


class StashKey(Generic[T]):
    """A key of a `Stash`; it carries the type of its value. Make one a module, at its top."""


class Stash:
    """Typed storage for layers, so that none sets attributes on what is not its own."""

    def __init__(self) -> None:
        self._values: dict[StashKey[Any], Any] = {}

    def get(self, key: StashKey[T], default: T) -> T:
        """Return the value of `key`; store `default` first when there is none."""
        return cast(T, self._values.setdefault(key, default))

    def set(self, key: StashKey[T], value: T) -> None:
        """Store `value` under `key`."""
        self._values[key] = value


@dataclass(slots=True, kw_only=True)
class Turn:
    """The turn that is running.

    question: the user's text.
    first: number of the question's record in the history.
    rounds: requests made so far.
    beginning: the answer so far, while the model is asked to go on with it.
    shown: the pieces of the present attempt that the user has seen.
    reason: set by a layer that knows better than the loop how this turn ended.
    outputs: what a running tool shows; None when it is done.
    """

    question: str
    first: int
    rounds: int = 0
    beginning: str = ""
    shown: list[str] = field(default_factory=list)
    reason: TurnReason | None = None
    stash: Stash = field(default_factory=Stash)
    outputs: asyncio.Queue[Event | None] = field(default_factory=asyncio.Queue)
