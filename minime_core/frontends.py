"""Frontends: how a person or a program talks with a session."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from minime_core.events import TurnDone

if TYPE_CHECKING:
    from minime_core.cli.opening import Opener
    from minime_core.session import Session


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontendSpec:
    """A way to talk with the user.

    name: `terminal` is used when no prompt is given, the others by `--output`.
    run: opens sessions, consumes their events until all is over, and returns the exit code; it is
        given the prompt of the command line, or None to ask for one.
    """

    name: str
    summary: str
    run: Callable[[Opener, str | None], Awaitable[int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SlashCommand:
    """A command that the user types in a conversation, between two turns.

    name: without the `/`.
    summary: one line for `/help` and completion.
    run: is given what stands behind the name, and returns what to show, as Markdown. It may raise
        MinimeError.
    """

    name: str
    summary: str
    run: Callable[[Session, str], Awaitable[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """A word that a question may begin with, offered while the user types, such as `$skill`."""

    text: str
    summary: str


def exit_code(done: TurnDone) -> int:
    """Return the exit code of a turn: 0 answered, 1 without an answer, else that of its error."""
    if done.error is not None:
        return done.error.exit_code
    return {"answered": 0, "cancelled": 130}.get(done.reason, 1)
