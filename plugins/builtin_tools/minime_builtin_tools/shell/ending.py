"""End processes: politely first, and for certain."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import time
from collections.abc import Callable

from .table import session_members

GRACE = 1.0
"""Seconds that a process has between the polite and the final signal."""

_ROUNDS = 50
"""How often the final signal goes to what is still found: a process may start others meanwhile."""

Find = Callable[[], set[int]]


async def end_shell(shell: subprocess.Popen[bytes]) -> None:
    """End a shell that was not waited for, with all of its session."""
    try:
        await _ask(lambda: session_members(shell.pid))
    finally:
        # At once for the whole group: of a fork bomb, one signal each would always miss some.
        _send_group(shell.pid, signal.SIGKILL)
        _kill(lambda: session_members(shell.pid))
        try:
            shell.wait(timeout=GRACE)
        except subprocess.TimeoutExpired:
            pass  # The kernel holds it; it ends when that lets go.


async def end_processes(find: Find) -> None:
    """End all processes that `find` returns, until it finds none."""
    try:
        await _ask(find)
    finally:
        _kill(find)


async def _ask(find: Find) -> None:
    asked: set[int] = set()
    deadline = time.monotonic() + GRACE
    pause = 0.005
    while (found := find()) and time.monotonic() < deadline:
        # All at once: a shell whose command ended first would begin the next one.
        for number in (signal.SIGSTOP, signal.SIGTERM, signal.SIGCONT):
            for pid in found - asked:
                _send(pid, number)
        asked |= found
        await asyncio.sleep(pause)
        pause = min(2 * pause, 0.1)


def _kill(find: Find) -> None:
    """Kill without awaiting, so that a second Ctrl-C cannot come between."""
    for _ in range(_ROUNDS):
        if not (found := find()):
            return
        for pid in found:
            _send(pid, signal.SIGKILL)
        time.sleep(0.005)


def _send(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        pass  # It has ended, or became another user's: `sudo` does that.


def _send_group(group: int, number: signal.Signals) -> None:
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        pass
