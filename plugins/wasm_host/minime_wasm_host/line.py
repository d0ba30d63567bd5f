"""The end of the line to a worker that `mm` holds: frames over a socket, in asyncio."""

from __future__ import annotations

import asyncio
import socket

from minime_wasm_host.frames import HEADER, LARGE, MAX_HEAD, Data, Kind, pack

BUFFER = 4 << 20
"""Bytes that the system may keep in each direction; it may allow less."""
MAX_WAITING = 1_000
"""Most frames that nobody asked for yet; a call logs far fewer lines."""
_NOTHING = bytearray()


class Broken(Exception):
    """The line ended, or something came that is no frame that was to be expected."""


class Line(asyncio.BufferedProtocol):
    """Sends frames, and receives them: small ones together, each large one into its own memory.

    limit: most bytes of a body that is received.
    """

    def __init__(self) -> None:
        self.limit = MAX_HEAD
        self._received = bytearray(LARGE)
        self._end = 0
        self._large = _Large()
        self._frames: list[tuple[int, bytes, bytearray]] = []
        self._waiting: asyncio.Future[None] | None = None
        self._fault = ""
        self._transport: asyncio.Transport | None = None

    @classmethod
    async def over(cls, end: socket.socket) -> Line:
        """Return a line over a connected socket."""
        loop = asyncio.get_running_loop()
        _, line = await loop.create_connection(cls, sock=end)
        return line

    def send(self, kind: Kind, head: bytes = b"", body: Data = b"") -> None:
        """Send a frame; when the line is broken, `receive` will tell."""
        assert self._transport is not None
        if len(body) < LARGE:
            self._transport.write(b"".join((pack(kind, head, len(body)), body)))
        else:
            self._transport.write(pack(kind, head, len(body)))
            self._transport.write(body)

    async def receive(self) -> tuple[int, bytes, bytearray]:
        """Return the next frame. Raises Broken."""
        while not self._frames:
            if self._fault:
                raise Broken(self._fault)
            self._waiting = asyncio.get_running_loop().create_future()
            await self._waiting
        return self._frames.pop(0)

    def close(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    # What asyncio calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def get_buffer(self, sizehint: int) -> memoryview:
        return self._large.rest or memoryview(self._received)[self._end :]

    def buffer_updated(self, nbytes: int) -> None:
        if self._large.rest:
            self._large.rest = self._large.rest[nbytes:]
            if not self._large.rest:
                self._add(self._large.kind, self._large.head_size, self._large.content)
                self._large = _Large()
            return
        self._end += nbytes
        start = 0
        while (size := self._take(start)) and not self._fault:
            start += size
        if start < self._end:
            # What is left is the beginning of a frame.
            self._received[: self._end - start] = self._received[start : self._end]
        self._end -= start

    def _take(self, start: int) -> int:
        """Take the frame that begins at `start`; return its bytes so far, 0 to wait for more."""
        there = self._end - start
        if there < HEADER.size:
            return 0
        kind, head_size, body_size = HEADER.unpack_from(self._received, start)
        if head_size > MAX_HEAD or body_size > self.limit:
            self._break("it broke the protocol of its worker")
            return 0
        size = HEADER.size + head_size + body_size
        inside = start + HEADER.size
        if there >= size:
            self._add(kind, head_size, self._received[inside : start + size])
            return int(size)
        if size <= LARGE:
            return 0
        self._large = _Large(kind, head_size, bytearray(head_size + body_size))
        self._large.rest[: there - HEADER.size] = self._received[inside : self._end]
        self._large.rest = self._large.rest[there - HEADER.size :]
        return there

    def _add(self, kind: int, head_size: int, content: bytearray) -> None:
        if len(self._frames) > MAX_WAITING:
            self._break("it broke the protocol of its worker")
        head = bytes(content[:head_size])
        self._frames.append((kind, head, content[head_size:] if head_size else content))
        self._wake()

    def connection_lost(self, exc: Exception | None) -> None:
        self._break("its worker ended")

    def _break(self, fault: str) -> None:
        self._fault = self._fault or fault
        self.close()
        self._wake()

    def _wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)


class _Large:
    """A frame that is received into its own memory; `rest` is what is not there yet."""

    def __init__(self, kind: int = 0, head_size: int = 0, content: bytearray = _NOTHING) -> None:
        self.kind = kind
        self.head_size = head_size
        self.content = content
        self.rest = memoryview(content)
