"""The process of the agent: started, listened to, ended."""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import signal
import sysconfig
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from minime.errors import StartError

log = logging.getLogger("minime")

MAX_LINE = 64 << 20
"""Bytes of one message."""
MAX_STDERR_LINE = 4096
"""Bytes of a line of stderr; longer ones are cut into several."""
EXIT_TIME = 1.0
"""Seconds that a process which talks no more has to end."""


def find_mm(mm: str | os.PathLike[str] | Sequence[str] | None) -> list[str]:
    """Return the command that starts mm: the given one, `$MM_BIN`, on PATH, of this Python.

    Raises StartError.
    """
    if mm is not None:
        return [os.fspath(mm)] if isinstance(mm, str | os.PathLike) else [*mm]
    beside = Path(sysconfig.get_path("scripts"), "mm")
    found = os.environ.get("MM_BIN") or shutil.which("mm")
    if not found and beside.is_file():
        found = str(beside)
    if not found:
        raise StartError("mm was not found: install mini-me, or set MM_BIN to the program")
    return [found]


class Process:
    """A running agent.

    last_line: the last that it wrote to stderr, "" for nothing yet.
    """

    def __init__(
        self, process: asyncio.subprocess.Process, on_stderr: Callable[[str], object] | None
    ) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self.stdin = process.stdin
        self.stdout = process.stdout
        self.last_line = ""
        self._process = process
        self._on_stderr = on_stderr
        # From the first moment: a pipe that nobody reads would stop the agent when it is full.
        self._listening = asyncio.create_task(self._listen(process.stderr))

    @classmethod
    async def start(
        cls,
        command: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        on_stderr: Callable[[str], object] | None,
    ) -> Process:
        """Start it in a session of its own, so that it can be ended with all that it started.

        Raises StartError.
        """
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                cwd=cwd,
                env={**os.environ, **env},
                limit=MAX_LINE,
                start_new_session=True,
            )
        except OSError as error:
            raise StartError(f"{command[0]} cannot be started: {error}") from error
        return cls(process, on_stderr)

    async def exit_status(self) -> int | None:
        """Return the exit status, None when the process does not end."""
        try:
            async with asyncio.timeout(EXIT_TIME):
                status = await self._process.wait()
                await asyncio.wait([self._listening])
                return status
        except TimeoutError:
            return None

    async def end(self, patience: float) -> None:
        """Close its stdin, wait so many seconds, then kill it with its children."""
        self.stdin.close()
        waiting = asyncio.ensure_future(self._process.wait())
        try:
            await asyncio.wait([waiting], timeout=patience)
        finally:
            if not waiting.done():
                self._kill()
        await waiting
        # What a grandchild holds open may never end.
        self._listening.cancel()

    def hear(self, line: str) -> None:
        """Take a line that is for people."""
        self.last_line = line
        if self._on_stderr is not None:
            try:
                self._on_stderr(line)
            except Exception:
                log.exception("on_stderr failed")

    def _kill(self) -> None:
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass  # It has just ended.

    async def _listen(self, stream: asyncio.StreamReader) -> None:
        rest = b""
        while piece := await stream.read(MAX_STDERR_LINE):
            *lines, rest = (rest + piece).split(b"\n")
            if len(rest) >= MAX_STDERR_LINE:
                lines, rest = [*lines, rest], b""
            for line in lines:
                self._hear_bytes(line)
        self._hear_bytes(rest)

    def _hear_bytes(self, line: bytes) -> None:
        if text := line.decode("utf-8", "replace").rstrip():
            self.hear(text)
