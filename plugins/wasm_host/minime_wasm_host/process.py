"""A worker process, seen from `mm`: started, spoken to, ended."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Awaitable, Callable

from minime_wasm_host.frames import MAX_HEAD, Data, Kind
from minime_wasm_host.job import Job
from minime_wasm_host.line import BUFFER, Broken, Line
from minime_wasm_host.places import cache_folder

Log = Callable[[str], None]
Answerer = Callable[[bytes, Data], Awaitable[tuple[bytes, bytes]]]
"""Answers a module's request over HTTP: head and body in, head and body out."""

_LAST_SECOND = 1.0
"""Seconds that a worker which closed its line may take to end."""


class GuestFailed(Exception):
    """The module failed; its worker goes on. The text is the module's or Extism's."""


class WorkerDied(Exception):
    """The worker ended, or sent what no worker sends; the text says how."""


class Worker:
    """One running process. Make one with `start`, then `load`; one thing at a time.

    was_killed: whether `kill` was called, which makes what is awaited raise WorkerDied.
    """

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        line: Line,
    ) -> None:
        self._process = process
        self._line = line
        self.was_killed = False

    @classmethod
    async def start(cls) -> Worker:
        """Start a process that waits for its module."""
        ours, theirs = socket.socketpair()
        for end in (ours, theirs):
            # As much as a large body needs, so that the two sides need not take turns.
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BUFFER)
            end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
        with theirs:
            process = _spawn(theirs.fileno())
        try:
            return cls(process, await Line.over(ours))
        except BaseException:
            ours.close()
            process.kill()
            process.communicate()
            raise

    @property
    def pid(self) -> int:
        return self._process.pid

    async def load(self, job: Job, log: Log, answer: Answerer) -> None:
        """Load a module.

        log: shows a line that the module logs.
        answer: answers its requests over HTTP. Raises GuestFailed and WorkerDied.
        """
        self._line.limit = max(job.output_bytes, job.http_bytes, MAX_HEAD)
        self._line.send(Kind.LOAD, job.encode())
        await self._outcome(Kind.READY, log, answer)

    async def call(self, function: str, data: Data, log: Log, answer: Answerer) -> bytearray:
        """Return what a function of the module returns. Raises GuestFailed and WorkerDied."""
        self._line.send(Kind.CALL, function.encode(), data)
        return await self._outcome(Kind.OUTPUT, log, answer)

    def kill(self) -> None:
        """Kill the process; it is gone after `stop`."""
        self.was_killed = True
        self._process.kill()

    async def stop(self) -> None:
        """Kill the process, and wait for its end."""
        self._process.kill()
        await self._end(0)

    async def _outcome(self, wanted: Kind, log: Log, answer: Answerer) -> bytearray:
        while True:
            try:
                kind, head, body = await self._line.receive()
            except Broken as broken:
                raise WorkerDied(await self._ending(str(broken))) from None
            if kind == wanted:
                return body
            if kind == Kind.FAILED:
                raise GuestFailed(body.decode("utf-8", "replace"))
            if kind == Kind.LOG:
                log(body.decode("utf-8", "replace"))
            elif kind == Kind.ASK:
                self._line.send(Kind.ANSWER, *await answer(head, body))
            else:
                raise WorkerDied("it broke the protocol of its worker")

    async def _ending(self, fault: str) -> str:
        """Return how the process ended, whose line is broken."""
        code = await self._end(_LAST_SECOND)
        if code < 0:
            return f"it crashed ({signal.Signals(-code).name})"
        return fault if code == 0 else f"its worker ended with code {code}"

    async def _end(self, patience: float) -> int:
        self._line.close()
        assert self._process.stdin is not None
        self._process.stdin.close()
        return await asyncio.to_thread(self._reap, patience)

    def _reap(self, patience: float) -> int:
        try:
            return self._process.wait(patience)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()


def _spawn(descriptor: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "minime_wasm_host.worker", str(descriptor)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=_environment(),
        cwd="/",
        pass_fds=[descriptor],
        start_new_session=True,
    )


def _environment() -> dict[str, str]:
    """Return all variables that a worker gets: nothing of the user's."""
    return {
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "EXTISM_CACHE_CONFIG": _cache_settings(),
        # Collecting a backtrace at each failure takes longer than most calls.
        "RUST_BACKTRACE": "0",
    }


def _cache_settings() -> str:
    """Return a file that tells where compiled modules are kept: in the user's cache, private.

    It is empty, which is no cache, where nothing can be written.
    """
    folder = cache_folder()
    compiled, file = folder / "compiled", folder / "cache.toml"
    text = f"[cache]\ndirectory = {json.dumps(str(compiled), ensure_ascii=False)}\n"
    try:
        if not file.is_file() or file.read_text() != text:
            compiled.mkdir(parents=True, exist_ok=True, mode=0o700)
            os.chmod(folder, 0o700)
            new = file.with_suffix(f".{os.getpid()}")
            new.write_text(text)
            new.replace(file)
    except (OSError, UnicodeError):
        return ""
    return str(file)
