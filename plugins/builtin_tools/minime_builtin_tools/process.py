"""Shell commands as a process session of their own, ended as a whole.

A session, not a process group: `timeout 60 make` makes a group of its own and would outlive its
parent's.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

READ_EACH_END = 1 << 20
"""Most bytes read from each end of a command's output."""
POLL = 0.25
"""Seconds between looks at the output of a command that is still running."""
GRACE = 1.0
"""Seconds between the polite and the final signal."""

# Programs that would open an editor or a pager wait for a key that never comes.
QUIET = {
    "GIT_EDITOR": "true",
    "EDITOR": "true",
    "VISUAL": "true",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "MANPAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "DEBIAN_FRONTEND": "noninteractive",
    "TERM": "dumb",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """How a command ended. `code` is negative for a signal; None when it was ended at its limit."""

    output: str
    code: int | None
    seconds: float


async def run_shell(
    command: str,
    *,
    cwd: Path,
    timeout: float,
    emit: Callable[[str], None],
    environment: Mapping[str, str] | None = None,
) -> Finished:
    """Run `command` in a new shell until the shell exits, at most `timeout` seconds.

    Its output goes to a file, never a pipe that a job in the background can hold open. When it takes
    too long, or the caller is cancelled, its whole process session is ended.
    """
    start = time.monotonic()
    with tempfile.TemporaryFile() as output:
        shell = subprocess.Popen(
            ["bash", "-c", command],
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, **QUIET, **(environment or {})},
            start_new_session=True,
        )
        try:
            code = await _wait(shell, output, start + timeout, emit)
        except BaseException:
            await end_session(shell)
            raise
        if code is None:
            await end_session(shell)
        return Finished(
            output=_read_ends(output), code=code, seconds=time.monotonic() - start
        )


async def _wait(
    shell: subprocess.Popen[bytes], output: IO[bytes], deadline: float, emit: Callable[[str], None]
) -> int | None:
    """Return the exit code, None at the deadline; show output that comes meanwhile."""
    loop = asyncio.get_running_loop()
    exited = asyncio.Event()
    pidfd = os.pidfd_open(shell.pid)
    loop.add_reader(pidfd, exited.set)
    shown = 0
    try:
        while (left := deadline - time.monotonic()) > 0:
            try:
                async with asyncio.timeout(min(POLL, left)):
                    await exited.wait()
                return shell.wait()
            except TimeoutError:
                piece = os.pread(output.fileno(), 1 << 16, shown)
                shown += len(piece)
                if piece:
                    emit(piece.decode("utf-8", "replace"))
        return None
    finally:
        loop.remove_reader(pidfd)
        os.close(pidfd)


async def end_session(shell: subprocess.Popen[bytes]) -> None:
    """End every process of the shell's session, politely first."""
    for number, patience in ((signal.SIGTERM, GRACE), (signal.SIGKILL, GRACE)):
        deadline = time.monotonic() + patience
        while members := session_members(shell.pid):
            for pid in members:
                try:
                    os.kill(pid, number)
                except ProcessLookupError:
                    continue
            shell.poll()
            if time.monotonic() > deadline:
                break
            await asyncio.sleep(0.02)
    shell.poll()


def session_members(session: int) -> list[int]:
    """Return the processes of a process session that still run."""
    members = []
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            stat = Path("/proc", name, "stat").read_text()
        except (OSError, UnicodeDecodeError):
            continue
        # pid (name) state parent group session ...: the name may hold spaces and parentheses.
        state, _, _, of_session = stat.rpartition(")")[2].split()[:4]
        if int(of_session) == session and state not in "ZX":
            members.append(int(name))
    return members


def _read_ends(output: IO[bytes]) -> str:
    size = os.fstat(output.fileno()).st_size
    head = os.pread(output.fileno(), READ_EACH_END, 0)
    if size <= READ_EACH_END:
        return head.decode("utf-8", "replace")
    tail_from = max(size - READ_EACH_END, READ_EACH_END)
    tail = os.pread(output.fileno(), READ_EACH_END, tail_from)
    left_out = tail_from - READ_EACH_END
    middle = f"\n[... {left_out} bytes left out ...]\n" if left_out else ""
    return head.decode("utf-8", "replace") + middle + tail.decode("utf-8", "replace")
