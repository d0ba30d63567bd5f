"""Standard output is for answers, also while plugins are loaded."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

STDOUT, STDERR = 1, 2


@contextmanager
def stdout_kept() -> Iterator[None]:
    """Send to stderr what is written to stdout inside, by native code and child processes too."""
    try:
        kept = os.dup(STDOUT)
    except OSError:
        yield  # It is closed.
        return
    try:
        os.dup2(STDERR, STDOUT)
        yield
    finally:
        os.dup2(kept, STDOUT)
        os.close(kept)
