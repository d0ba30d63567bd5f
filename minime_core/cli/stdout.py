"""Standard output is for answers, whatever plugins print."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from typing import TextIO

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


@contextmanager
def stdout_for_answers() -> Iterator[TextIO]:
    """Yield stdout; what layers, tools and the like print inside goes to stderr."""
    answers = sys.stdout
    with redirect_stdout(sys.stderr):
        yield answers
