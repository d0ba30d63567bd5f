"""The worker's end of the line to `mm`."""

from __future__ import annotations

import os
import socket

from minime_wasm_host.frames import HEADER, LARGE, Data, Kind, pack


class Channel:
    """Sends and receives frames, one after the other. When `mm` has gone, the process ends."""

    def __init__(self, line: socket.socket) -> None:
        self._line = line
        self._received = b""

    def send(self, kind: Kind, head: bytes = b"", body: Data = b"") -> None:
        view = memoryview(body)
        start = pack(kind, head, len(view))
        try:
            if len(view) < LARGE:
                self._line.sendall(b"".join((start, view)))
            else:
                self._line.sendall(start)
                self._line.sendall(view)
        except OSError:
            # The line is gone, or the module's output is no memory of this process.
            os._exit(1)

    def receive(self) -> tuple[int, bytes, bytes]:
        kind, head_size, size = HEADER.unpack(self._exactly(HEADER.size))
        head = self._exactly(head_size) if head_size else b""
        return kind, head, self._exactly(size) if size else b""

    def _exactly(self, size: int) -> bytes:
        if not self._received and size < LARGE:
            self._received = self._wait(LARGE, 0)
        there, self._received = self._received[:size], self._received[size:]
        if len(there) < size:
            # The system waits for all of it, and fills memory that is allocated once.
            rest = self._wait(size - len(there), socket.MSG_WAITALL)
            if len(rest) < size - len(there):
                os._exit(0)
            there = there + rest if there else rest
        return there

    def _wait(self, size: int, flags: int) -> bytes:
        try:
            data = self._line.recv(size, flags)
        except OSError:
            data = b""
        return data or os._exit(0)
