"""What `mm` and a worker say to each other: frames of a kind, a short head and a body.

A frame is one byte for the kind, the lengths of head and body as 32-bit numbers in network order,
then both. The body is raw: nothing is escaped, copied or parsed on the way.
"""

from __future__ import annotations

import struct
from enum import IntEnum

Data = bytes | bytearray | memoryview
HEADER = struct.Struct(">BII")
LARGE = 65_536
"""Bytes from which on a body is sent on its own, since joining it would copy it."""
MAX_HEAD = 1 << 20
"""Most bytes of a head."""


class Kind(IntEnum):
    """What a frame says, and what its head holds."""

    LOAD = 1
    """To the worker: load the module; head: a `Job` as JSON."""
    READY = 2
    """From the worker: it is loaded."""
    CALL = 3
    """To the worker: call the function that the head names with the body."""
    OUTPUT = 4
    """From the worker: what the call returned, as body."""
    FAILED = 5
    """From the worker: the call, or loading, failed; body: why."""
    LOG = 6
    """From the worker, any time in a call: a line that the module logs, as body."""
    ASK = 7
    """From the worker: send a request over HTTP; head: method, address and headers as JSON."""
    ANSWER = 8
    """To the worker: the answer to that; head: status and headers as JSON."""


def pack(kind: Kind, head: bytes, size: int) -> bytes:
    """Return a frame up to its body of `size` bytes."""
    return HEADER.pack(kind, len(head), size) + head
