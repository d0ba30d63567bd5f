"""What is still running when the agent ends: nothing shall be.

Each process inherits a mark in its environment from the one that started it, so that grandchildren
are found that have left their parents, their group and their session.
"""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

VARIABLE = "MM_ACP_MARK"
GRACE = 0.2
"""Seconds between the polite and the final signal."""
_ROUNDS = 20
"""How often the final signal goes to what is still found: a process may start others meanwhile."""
_PS_PATIENCE = 0.5
"""Seconds that `ps` may take."""


def mark_children() -> str:
    """Mark every process that is started from now on; return the mark."""
    token = secrets.token_hex(8)
    os.environ[VARIABLE] = token
    return f"{VARIABLE}={token}"


def end_marked(mark: str) -> None:
    """End all processes with the mark but this one. Blocks for a moment if they are stubborn."""
    if not _send(mark, signal.SIGTERM):
        return
    deadline = time.monotonic() + GRACE
    while time.monotonic() < deadline and any(_marked(mark)):
        time.sleep(0.02)
    for _ in range(_ROUNDS):
        if not _send(mark, signal.SIGKILL):
            return
        time.sleep(0.005)


def _send(mark: str, number: signal.Signals) -> int:
    """Return how many processes were sent the signal."""
    count = 0
    for pid in _marked(mark):
        try:
            os.kill(pid, number)
            count += 1
        except (ProcessLookupError, PermissionError):
            pass  # It has ended, or became another user's.
    return count


def _marked(mark: str) -> Iterator[int]:
    for pid, environment in _by_proc() if os.path.exists("/proc/self/environ") else _by_ps():
        words = environment.split(b"\0" if b"\0" in environment else None)
        if mark.encode() in words and pid != os.getpid():
            yield pid


def _by_proc() -> Iterator[tuple[int, bytes]]:
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                yield int(name), Path("/proc", name, "environ").read_bytes()
            except OSError:
                continue  # It has ended, or is another user's.


def _by_ps() -> Iterator[tuple[int, bytes]]:
    done = subprocess.run(
        ["ps", "-axEww", "-o", "pid=,command="], stdout=subprocess.PIPE, timeout=_PS_PATIENCE
    )
    for line in done.stdout.splitlines():
        pid, _, rest = line.strip().partition(b" ")
        yield int(pid), rest
