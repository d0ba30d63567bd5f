"""The server's side of HTTP/1.1: read a request, send an answer."""

from __future__ import annotations

import asyncio
import json
import re
import socket
import struct
import threading
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Literal

from .rendering import Rendered
from .steps import Ending

MAX_HEAD = 64 * 1024
BYTES_PER_TURN = 64 * 1024

Outcome = Literal["answered", "closed_by_client", "closed_by_server"]


class BadRequest(Exception):
    """The client sent something that this server does not read as HTTP."""


@dataclass
class Request:
    """A request as it came in, and how it ended.

    Attributes:
        method: in capitals.
        path: with the query.
        headers: names in lower case; the last of several with the same name.
        body: the bytes of the body.
        connection: the number of the TCP connection that it came over, from 1.
        outcome: None while it is being answered.
    """

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    connection: int
    outcome: Outcome | None = None
    _ended: threading.Event = field(default_factory=threading.Event, repr=False)

    @property
    def json(self) -> Any:
        """The body, read as JSON.

        Raises:
            ValueError: it is none.
        """
        return json.loads(self.body)

    @property
    def closed_by_client(self) -> bool:
        """Whether the client hung up before the last byte was with the operating system."""
        return self.outcome == "closed_by_client"

    def wait_ended(self, timeout: float = 5.0) -> bool:
        """Wait until the request is answered or broken off.

        This blocks the calling thread: a coroutine calls it through `asyncio.to_thread`.

        Args:
            timeout: seconds to wait at most.

        Returns:
            Whether it ended in time.
        """
        return self._ended.wait(timeout)

    def end(self, outcome: Outcome) -> None:
        """Record how the request ended."""
        self.outcome = outcome
        self._ended.set()


class WatchedReader(asyncio.StreamReader):
    """A stream reader that tells when the other side has hung up, even while nobody reads."""

    def __init__(self) -> None:
        super().__init__(limit=MAX_HEAD)
        self.hung_up = asyncio.Event()

    def feed_eof(self) -> None:
        """Note the end of what the client sends."""
        super().feed_eof()
        self.hung_up.set()

    def set_exception(self, exc: Exception) -> None:
        """Note the loss of the connection."""
        super().set_exception(exc)
        self.hung_up.set()


async def read_request(reader: asyncio.StreamReader, connection: int) -> Request | None:
    """Read the next request of a connection, or None if the client has left.

    Raises:
        BadRequest: what came is not a request with a body of stated length.
    """
    try:
        head = await reader.readuntil(b"\r\n\r\n")
        method, path, headers = _parse_head(head)
        body = await reader.readexactly(_body_length(headers))
    except asyncio.LimitOverrunError as error:
        raise BadRequest("the head of the request is too long") from error
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    return Request(method, path, headers, body, connection)


def _parse_head(head: bytes) -> tuple[str, str, dict[str, str]]:
    first, *lines = head.decode("latin-1").rstrip("\r\n").split("\r\n")
    parts = first.split(" ")
    if len(parts) != 3 or not parts[2].startswith("HTTP/1."):
        raise BadRequest(f"not a request line: {first[:80]!r}")
    pairs = (line.partition(":") for line in lines)
    return parts[0], parts[1], {name.strip().lower(): value.strip() for name, _, value in pairs}


def _body_length(headers: dict[str, str]) -> int:
    length = headers.get("content-length", "0")
    if "transfer-encoding" in headers or not re.fullmatch("[0-9]{1,9}", length):
        raise BadRequest("a body needs a content-length of at most nine digits")
    return int(length)


async def send(rendered: Rendered, writer: asyncio.StreamWriter) -> Ending:
    """Send an answer, as far as its script goes; closing the connection is up to the caller.

    Raises:
        ConnectionError: the client has left.
    """
    body = _Body(rendered, writer)
    sent = 0
    for action in rendered.actions:
        if action is Ending.END:
            break
        if isinstance(action, Ending):
            return action
        if not isinstance(action, bytes):
            await action.wait_open()
            continue
        await body.write(action)
        sent += len(action)
        if sent >= BYTES_PER_TURN:
            sent = 0
            # A write that the system takes at once gives the loop no turn to see a hang-up.
            await asyncio.sleep(0)
    await body.close()
    return Ending.END


class _Body:
    """A body in the framing that its answer wants; the head goes out with the first bytes."""

    def __init__(self, rendered: Rendered, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        self._chunked = rendered.length is None
        framing = (
            {"transfer-encoding": "chunked"}
            if rendered.length is None
            else {"content-length": str(rendered.length)}
        )
        headers = {"server": "fault-server", **framing, **rendered.headers}
        lines = [f"HTTP/1.1 {rendered.status} {_phrase(rendered.status)}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        self._head = "\r\n".join([*lines, "", ""]).encode("latin-1")

    async def write(self, data: bytes) -> None:
        framed = b"%x\r\n%b\r\n" % (len(data), data) if self._chunked and data else data
        await self._send(framed)

    async def close(self) -> None:
        await self._send(b"0\r\n\r\n" if self._chunked else b"")

    async def _send(self, data: bytes) -> None:
        self._writer.write(self._head + data)
        self._head = b""
        await self._writer.drain()


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Unknown"


def reset_on_close(writer: asyncio.StreamWriter) -> None:
    """Make closing the connection send a TCP RST in place of a FIN."""
    linger = struct.pack("ii", 1, 0)
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
