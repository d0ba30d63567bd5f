"""What a scenario is: a fault, and how a turn ends all the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from minime_core.testing import Reply

Reason = Literal["answered", "empty", "limit", "stuck", "stalled", "failed"]
EXIT_CODES: Mapping[Reason, int] = {
    "answered": 0,
    "empty": 1,
    "limit": 1,
    "stuck": 1,
    "stalled": 1,
    "failed": 3,
}


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """One fault of a model or a server.

    group: the heading of the page under which it stands.
    fault: what goes wrong, and `outcome`: what comes of it, both for the page.
    replies: of the server, one for each request that is expected; a reply more is asked for only
        when `mm` makes a request that it should not make.
    reason: how the turn ends; the exit code follows from it.
    answer: all of the answer, None when it does not matter.
    ran: the words that commands wrote into `log`, in order.
    told: words of what the model is told, in the last request.
    said: words of what the user is told.
    once: words of the answer that come once, `never`: words that never reach the answer.
    """

    group: str
    fault: str
    outcome: str
    replies: tuple[Reply, ...]
    reason: Reason = "answered"
    answer: str | None = "Done."
    ran: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    said: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    guards: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The scenario's name for the test runner."""
        return f"{self.group}: {self.fault}".lower().replace(" ", "_")[:90]
