"""Run one command."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO, Literal

from .ending import end_shell
from .output import Output

MAX_OUTPUT = 1 << 30
"""Bytes of output above which a command is ended: it fills the disk."""
POLL = 0.25
"""Seconds between looks at the output of a command that is still running."""

Limit = Literal["time", "output"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """How a command ended.

    code: exit code, negative for a signal; None when it was ended at a limit.
    limit: which one.
    left_out: bytes in the middle of the output that were not read.
    """

    output: str
    left_out: int
    code: int | None
    limit: Limit | None
    seconds: float


async def run_shell(
    command: str,
    *,
    cwd: Path,
    seconds: float,
    environment: Mapping[str, str],
    emit: Callable[[str], None] = lambda text: None,
    started: Callable[[int], None] = lambda pid: None,
) -> Finished:
    """Run `command` in a new shell until the shell exits, for at most so many `seconds`.

    Its output goes to a file, never a pipe that a job in the background can hold open. At a limit,
    or when the caller is cancelled, its whole process session is ended.

    started: told the process id of the shell, which is that of its session.

    Raises OSError when no shell can be started, ValueError for a command with NUL.
    """
    start = time.monotonic()
    with tempfile.TemporaryFile(buffering=0) as file:
        shell = _start(command, cwd, environment, file)
        started(shell.pid)
        output = Output(file, emit)
        try:
            limit = await _watch(shell, output, start + seconds)
        except BaseException:
            await end_shell(shell)
            raise
        if limit is not None:
            await end_shell(shell)
        code = shell.wait() if limit is None else None
        text, left_out = output.read_ends()
        return Finished(
            output=text,
            left_out=left_out,
            code=code,
            limit=limit,
            seconds=time.monotonic() - start,
        )


def _start(
    command: str, cwd: Path, environment: Mapping[str, str], output: IO[bytes]
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [_shell(os.environ.get("PATH")), "-c", command],
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        env=environment,
        start_new_session=True,
    )


@cache
def _shell(path: str | None) -> str:
    return shutil.which("bash", path=path) or "/bin/sh"


async def _watch(shell: subprocess.Popen[bytes], output: Output, deadline: float) -> Limit | None:
    """Show the output until the shell exits or a limit is reached; return the limit."""
    with _exit_of(shell) as exited:
        while (left := deadline - time.monotonic()) > 0:
            done, _ = await asyncio.wait([exited], timeout=min(POLL, left))
            if done:
                return None
            output.show_new()
            if output.size > MAX_OUTPUT:
                return "output"
        return "time"


@contextmanager
def _exit_of(shell: subprocess.Popen[bytes]) -> Iterator[asyncio.Future[None]]:
    """Give a future that is done when the shell has exited."""
    try:
        descriptor = os.pidfd_open(shell.pid)
    except (AttributeError, OSError):
        # Not Linux, or an old one.
        polling = asyncio.ensure_future(_poll_exit(shell))
        try:
            yield polling
        finally:
            polling.cancel()
        return
    loop = asyncio.get_running_loop()
    exited: asyncio.Future[None] = loop.create_future()

    def wake() -> None:
        if not exited.done():
            exited.set_result(None)

    loop.add_reader(descriptor, wake)
    try:
        yield exited
    finally:
        loop.remove_reader(descriptor)
        os.close(descriptor)


async def _poll_exit(shell: subprocess.Popen[bytes]) -> None:
    pause = 0.001
    while shell.poll() is None:
        await asyncio.sleep(pause)
        pause = min(2 * pause, 0.05)
