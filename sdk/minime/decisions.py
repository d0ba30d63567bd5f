"""Whether a call may run."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from minime.events import ToolCall


@dataclass(frozen=True, slots=True)
class Decision:
    """The answer to a question of permission. The default one rejects."""

    option: str = "reject"

    @classmethod
    def choose(cls, option: str) -> Decision:
        """Choose an option by its id: `allow`, `allow_always`, `reject` or `never`.

        `allow_always` and `never` hold for this tool until the session ends. An id that mm does not
        offer rejects.
        """
        return cls(option)


ALLOW = Decision("allow")
"""Run it this time."""
REJECT = Decision("reject")
"""Do not run it this time."""

OnPermission: TypeAlias = Callable[
    [ToolCall], Decision | bool | Awaitable[Decision | bool | None] | None
]

_KINDS = {
    "allow": "allow_once",
    "allow_always": "allow_always",
    "reject": "reject_once",
    "never": "reject_always",
}
"""The protocol's kind of each option, for agents that name them otherwise."""


def outcome(said: object, options: object) -> Mapping[str, Any]:
    """Return the protocol's answer for what a callback said.

    said: a `Decision`; of anything else True allows and all the rest rejects.
    options: what the agent offers, as it came.
    """
    decision = said if isinstance(said, Decision) else ALLOW if said is True else REJECT
    offered = {
        str(option.get("optionId")): option.get("kind")
        for option in (options if isinstance(options, list) else [])
        if isinstance(option, Mapping)
    }
    for wanted in (decision.option, REJECT.option):
        if wanted in offered:
            return _selected(wanted)
        kind = _KINDS.get(wanted)
        alike = next((option for option, of in offered.items() if kind and of == kind), None)
        if alike is not None:
            return _selected(alike)
    return CANCELLED


CANCELLED: Mapping[str, Any] = {"outcome": {"outcome": "cancelled"}}


def _selected(option: str) -> Mapping[str, Any]:
    return {"outcome": {"outcome": "selected", "optionId": option}}
