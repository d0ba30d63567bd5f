"""Which processes there are: from `/proc`, elsewhere from `ps`."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

HAS_PROC = os.path.exists("/proc/self/stat")

_PS_WITH_ENVIRONMENT = "-axEww" if sys.platform == "darwin" else "axeww"
_PS_PATIENCE = 5.0
"""Seconds that `ps` may take."""


def session_members(session: int) -> set[int]:
    """Return the processes of a process session that still run."""
    return set(_members_by_proc(session) if HAS_PROC else _members_by_ps(session))


def marked(mark: str) -> dict[int, int]:
    """Return the processes whose environment holds `mark` and a number: pid and number."""
    return dict(_marked_by_proc(mark) if HAS_PROC else _marked_by_ps(mark))


def command_line(pid: int) -> str:
    """Return how a process was called, "" when it has ended."""
    if HAS_PROC:
        try:
            words = Path("/proc", str(pid), "cmdline").read_bytes()
        except OSError:
            return ""
        return words.replace(b"\0", b" ").decode("utf-8", "replace").strip()
    return "".join(_ps("-ww", "-o", "command=", "-p", str(pid))).strip()


def _members_by_proc(session: int) -> Iterator[int]:
    for pid in _pids():
        try:
            stat = Path("/proc", str(pid), "stat").read_bytes()
        except OSError:
            continue
        # pid (name) state parent group session ...: the name may hold spaces and parentheses.
        state, _, _, of_session = stat.rpartition(b")")[2].split()[:4]
        if int(of_session) == session and state not in (b"Z", b"X"):
            yield pid


def _members_by_ps(session: int) -> Iterator[int]:
    for line in _ps("-ax", "-o", "pid=,stat="):
        pid, state = line.split()[:2]
        if not state.startswith("Z") and session_of(int(pid)) == session:
            yield int(pid)


def session_of(pid: int) -> int | None:
    """Return the session of a process, None when it has ended."""
    try:
        return os.getsid(pid)
    except OSError:
        return None


def _marked_by_proc(mark: str) -> Iterator[tuple[int, int]]:
    pattern = re.compile(b"(?:^|\0)" + re.escape(mark).encode() + rb"(\d{1,9})(?:\0|$)")
    for pid in _pids():
        try:
            environment = Path("/proc", str(pid), "environ").read_bytes()
        except OSError:
            continue
        if found := pattern.search(environment):
            yield pid, int(found[1])


def _marked_by_ps(mark: str) -> Iterator[tuple[int, int]]:
    pattern = re.compile(r"(?:^|\s)" + re.escape(mark) + r"(\d{1,9})(?:\s|$)")
    for line in _ps(_PS_WITH_ENVIRONMENT, "-o", "pid=,command="):
        if found := pattern.search(line):
            yield int(line.split()[0]), int(found[1])


def _pids() -> Iterator[int]:
    return (int(name) for name in os.listdir("/proc") if name.isdigit())


def _ps(*arguments: str) -> list[str]:
    import subprocess

    done = subprocess.run(
        ["ps", *arguments], stdout=subprocess.PIPE, timeout=_PS_PATIENCE, check=False
    )
    return done.stdout.decode("utf-8", "replace").splitlines()
