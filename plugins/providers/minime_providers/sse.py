"""Server-sent events: bytes in, the data of each event out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from minime_core.errors import ProtocolError

MAX_LINE = 16 << 20
"""Longest line in bytes; more is not an answer but an attack on memory."""


@dataclass(frozen=True, slots=True)
class ServerEvent:
    """One event: `field` is `data`, `error` (llama.cpp names errors so) or `comment`."""

    field: str
    data: bytes


class Decoder:
    """Splits a byte stream, cut anywhere, into events. A line is an event: nobody sends longer ones."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, chunk: bytes) -> Iterator[ServerEvent]:
        """Yield the events that `chunk` completes. Raises ProtocolError for an endless line."""
        lines = (self._rest + chunk if self._rest else chunk).split(b"\n")
        self._rest = lines.pop()
        if len(self._rest) > MAX_LINE:
            raise ProtocolError(f"the server sent a line of more than {MAX_LINE >> 20} MB")
        for line in lines:
            if event := _event(line):
                yield event

    def end(self) -> Iterator[ServerEvent]:
        """Yield the event of a last line without a line end."""
        if event := _event(self._rest):
            yield event
        self._rest = b""


def _event(line: bytes) -> ServerEvent | None:
    line = line.strip(b"\r\n \t")
    if line.startswith(b"data:"):
        return ServerEvent("data", line[5:].lstrip())
    if line.startswith(b":"):
        return ServerEvent("comment", b"")
    if line.startswith(b"error:"):
        return ServerEvent("error", line[6:].lstrip())
    return None
