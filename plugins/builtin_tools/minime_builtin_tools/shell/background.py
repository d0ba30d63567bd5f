"""What commands left running when the session ends.

Each command's environment carries a mark that its descendants inherit. A job is ended with the
session unless it was asked to stay: its command says `nohup`, `setsid` or `disown`, or the process
left its shell's session, as services do when they start themselves. What stays is named.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable

from .ending import end_processes
from .table import command_line, marked, session_of

VARIABLE = "MM_SHELL_MARK"

_STAYS = re.compile(r"\b(?:nohup|setsid|disown)\b")
_MAX_NAMED = 10
_MAX_COMMAND = 80
"""Characters of a command line that are shown."""


class Shells:
    """The shells that were started in one session."""

    def __init__(self) -> None:
        self._token = secrets.token_hex(8)
        self._stays: list[bool] = []
        self._pids: set[int] = set()

    def mark(self, command: str) -> dict[str, str]:
        """Return what marks the processes of the next shell, which runs `command`."""
        self._stays.append(bool(_STAYS.search(command)))
        return {VARIABLE: f"{self._token}.{len(self._stays) - 1}"}

    def started(self, pid: int) -> None:
        """Note the process id of a shell."""
        self._pids.add(pid)

    def left(self) -> dict[int, bool]:
        """Return the processes that still run, and whether each is to stay."""
        return {
            pid: self._stays[number] or session_of(pid) not in self._pids
            for pid, number in marked(f"{VARIABLE}={self._token}.").items()
        }


async def end_jobs(shells: Shells, say: Callable[[str], None]) -> None:
    """End what is left running, and `say` what stays."""
    await end_processes(lambda: {pid for pid, stays in shells.left().items() if not stays})
    staying = {pid: command_line(pid) for pid in sorted(shells.left())}
    named = [f"{pid} ({line[:_MAX_COMMAND]})" for pid, line in staying.items() if line]
    if named:
        more = f" and {len(named) - _MAX_NAMED} more" if len(named) > _MAX_NAMED else ""
        say(f"left running: {', '.join(named[:_MAX_NAMED])}{more}; `kill NUMBER` ends one")
