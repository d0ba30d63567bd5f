"""Lines of bytes in and out, over any two file descriptors."""

from __future__ import annotations

import asyncio
import os
import queue
import threading
from collections.abc import Callable

MAX_LINE = 64 << 20
"""Bytes of a line; what is longer is cut."""
MAX_UNSENT = 4 << 20
"""Bytes that wait for the reader at the other end before writers have to wait too."""
MAX_UNREAD = 1000
"""Lines that wait to be handled before no more are read."""
FLUSH_TIME = 0.3
"""Seconds that the other end has to read the last lines."""


class Lines:
    """Lines from one descriptor and to another.

    Threads do it: asyncio takes no regular files, and would make pipes non-blocking for all who
    share them.

    at_end: called by the reading thread when the input has ended, before anybody else hears of it.
    """

    def __init__(self, source: int, sink: int, at_end: Callable[[], object] = lambda: None) -> None:
        self._source = source
        self._sink = sink
        self._at_end = at_end
        self._loop = asyncio.get_running_loop()
        self._incoming: asyncio.Queue[bytes] = asyncio.Queue()
        self._room = threading.Semaphore(MAX_UNREAD)
        self._outgoing: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._unsent = 0
        self._drained = asyncio.Event()
        self._closed = asyncio.Event()
        for work in (self._read_all, self._write_all):
            threading.Thread(target=work, daemon=True).start()

    async def read(self) -> bytes:
        """Return the next line, b"" at the end."""
        line = await self._incoming.get()
        self._room.release()
        return line

    async def write(self, line: bytes) -> None:
        """Send a line in its turn. Raises ConnectionError when nobody reads any more."""
        if self._closed.is_set():
            raise ConnectionError("the client reads no more")
        self._unsent += len(line)
        self._outgoing.put(line)
        while self._unsent > MAX_UNSENT and not self._closed.is_set():
            self._drained.clear()
            await self._drained.wait()

    async def aclose(self) -> None:
        """Send what is left, if it is taken."""
        self._outgoing.put(None)
        closing = asyncio.ensure_future(self._closed.wait())
        await asyncio.wait([closing], timeout=FLUSH_TIME)
        closing.cancel()

    def _read_all(self) -> None:
        try:
            with open(self._source, "rb") as file:
                while line := file.readline(MAX_LINE):
                    rest = line
                    while not rest.endswith(b"\n") and (rest := file.readline(MAX_LINE)):
                        pass
                    self._room.acquire()
                    self._tell(self._incoming.put_nowait, line)
        except OSError:
            pass  # As good as its end.
        self._at_end()
        self._tell(self._incoming.put_nowait, b"")

    def _write_all(self) -> None:
        try:
            with open(self._sink, "wb", buffering=0) as file:
                while (line := self._outgoing.get()) is not None:
                    size = len(line)
                    while line:
                        line = line[os.write(file.fileno(), line) :]
                    self._tell(self._sent, size)
        except OSError:
            # Who does not read will not ask either.
            self._at_end()
            self._tell(self._incoming.put_nowait, b"")
        self._tell(self._end_writing)

    def _sent(self, size: int) -> None:
        self._unsent -= size
        if self._unsent <= MAX_UNSENT:
            self._drained.set()

    def _end_writing(self) -> None:
        self._closed.set()
        self._drained.set()

    def _tell(self, function: Callable[..., object], *arguments: object) -> None:
        try:
            self._loop.call_soon_threadsafe(function, *arguments)
        except RuntimeError:
            pass  # The loop is closed; nobody is left to tell.
