"""Keep standard input and output for the protocol alone."""

from __future__ import annotations

import os
import sys

STDIN, STDOUT, STDERR = 0, 1, 2


def take_stdio() -> tuple[int, int]:
    """Return private copies of stdin and stdout; what others read is empty, and print is stderr.

    Neither a library that prints nor a child process can then disturb what goes over them.
    """
    source, sink = os.dup(STDIN), os.dup(STDOUT)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, STDIN)
    os.close(null)
    os.dup2(STDERR, STDOUT)
    # What was printed before, and is still in the buffer.
    sys.stdout.flush()
    return source, sink
