"""Server-sent events: bytes in, the data of each event out."""

from __future__ import annotations

import json
from collections.abc import Iterator

from minime_core.errors import ProtocolError

MAX_LINE = 16 << 20
"""Longest line in bytes; more is not an answer but an attack on memory."""


class Decoder:
    """Splits a byte stream, cut anywhere, into events. A line is an event: so servers send them."""

    def __init__(self) -> None:
        self._rest: list[bytes] = []
        self._size = 0

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """Yield the data of the events that `chunk` completes; nothing for a comment.

        Raises ProtocolError for a line that does not end.
        """
        *lines, rest = chunk.split(b"\n")
        if lines:
            lines[0] = b"".join((*self._rest, lines[0]))
            self._rest.clear()
            self._size = 0
        self._rest.append(rest)
        self._size += len(rest)
        for line in filter(None, lines):
            yield from _data(line)
        if self._size > MAX_LINE:
            raise ProtocolError(f"the server sent a line of more than {MAX_LINE >> 20} MB")

    def end(self) -> Iterator[bytes]:
        """Yield the data of a last line without a line end."""
        yield from _data(b"".join(self._rest))


def _data(line: bytes) -> tuple[bytes, ...]:
    line = line.strip()
    if line.startswith(b"data:"):
        return (line[5:].lstrip(),)
    if line.startswith(b":"):
        return (b"",)
    if line.startswith(b"error:"):
        # Older llama.cpp names its errors so; newer builds send them as data.
        said = line[6:].lstrip()
        if not said.startswith(b"{"):
            said = json.dumps(said.decode("utf-8", "replace")).encode()
        return (b'{"error":%b}' % said,)
    return ()
