"""One fault, and what `mm` does about it, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from minime_core.testing import Reply, delta, tool_call

End = Literal["answered", "empty", "unexecuted", "limit", "stuck", "stalled", "failed", "refused"]
"""How the turn ends; `refused` is a setting or a server that cannot be used."""

EXIT_CODES: Mapping[End, int] = {"answered": 0, "failed": 3, "refused": 2}
"""Exit codes of the ends; 1 for all others."""
LAST_WORDS: Mapping[End, str] = {
    "empty": "mm: the model gave no answer",
    "limit": "mm: stopped at max_turns",
    "stalled": "mm: stalled: ",
    "unexecuted": "mm: the model wrote a tool call as text",
}
"""What is said of an end besides `says`."""


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """A question to `mm -p` with a server that follows a script.

    when: the fault.
    then: what `mm` does.
    replies: what the server answers, one for each request.
    end: how the turn ends.
    out: what is on stdout, without the newline at its end.
    says: a part of what is on stderr; "" for nothing at all except which calls are made.
    told: what the model reads of it, in the messages of the last request.
    ran: the letters that calls wrote, in their order; see `run`.
    requests: how many there are; one for each reply unless given.
    sent: fields of single requests, by number from 0.
    hung_up: numbers of the requests whose connection `mm` closed before their end.
    unseen: what is neither on stdout nor in any request.
    guards, settings: what is set, in the section of the guards and besides.
    options: of the command line.
    model: its name, which chooses the profile.
    is_down: whether nothing listens where the server should be.
    """

    when: str
    then: str
    replies: tuple[Reply, ...] = ()
    end: End = "answered"
    out: str = "Done."
    says: str = ""
    told: str = ""
    ran: str = ""
    requests: int | None = None
    sent: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)
    hung_up: tuple[int, ...] = ()
    unseen: str = ""
    guards: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    options: tuple[str, ...] = ("--yolo",)
    model: str = "m"
    is_down: bool = False

    @property
    def count(self) -> int:
        """How many requests there are."""
        return len(self.replies) if self.requests is None else self.requests

    @property
    def code(self) -> int:
        """The exit code."""
        return EXIT_CODES.get(self.end, 1)


def command(letter: str) -> str:
    """Return a shell command that writes down that it ran."""
    return f"printf {letter} >> ran"


def run(letter: str, name: str = "bash", **how: Any) -> Reply:
    """Call the shell so that it is written down."""
    return tool_call(name, {"command": command(letter)}, **how)


def fragment(arguments: str, name: str = "bash", index: int = 0) -> Reply:
    """Send a piece of a call's arguments as it is."""
    function = {"name": name, "arguments": arguments}
    return delta({"tool_calls": [{"index": index, "id": "c", "function": function}]})
