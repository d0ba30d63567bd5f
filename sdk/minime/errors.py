"""What can go wrong.

MinimeError
├── StartError      mm could not be started, or does not speak the protocol
├── TurnError       mm ended a turn with an error, or did not end it
├── AgentExited     the process is gone
├── BusyError       another turn is running on this agent
└── ClosedError     the agent was closed
"""

from __future__ import annotations

from typing import Any


class MinimeError(Exception):
    """The base of all errors here."""


class StartError(MinimeError):
    """mm could not be started, or does not speak the protocol."""


class TurnError(MinimeError):
    """A turn failed: the text has mm's own words and the last line of its stderr.

    code: the number of the error in the protocol; None when mm did not end the turn at all.
    data: what mm sent along.
    """

    def __init__(self, message: str, *, code: int | None = None, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data


class AgentExited(MinimeError):
    """The process ended by itself.

    returncode: its exit status, negative for a signal; None when it still runs but talks no more.
    """

    def __init__(self, message: str, *, returncode: int | None) -> None:
        super().__init__(message)
        self.returncode = returncode


class BusyError(MinimeError):
    """A turn is running: one agent has one conversation, and one turn at a time."""


class ClosedError(MinimeError):
    """The agent was closed."""
