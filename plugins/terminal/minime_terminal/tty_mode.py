"""The terminal while a turn runs: what is typed is kept for the next line, and is not shown."""

from __future__ import annotations

import termios
from collections.abc import Iterator
from contextlib import contextmanager

PASTE_ON = "\x1b[?2004h"
"""Bracketed paste: what is pasted while a turn runs stays one text, however many lines it has. The
input line switches it on and off itself."""


@contextmanager
def quiet(fd: int) -> Iterator[None]:
    """Switch echo and line editing of the terminal `fd` off; Ctrl-C stays a signal.

    What was typed before a Ctrl-C is kept, as all that is typed while a turn runs.
    """
    before = termios.tcgetattr(fd)
    mode = termios.tcgetattr(fd)
    mode[3] &= ~(termios.ECHO | termios.ICANON)
    mode[3] |= termios.NOFLSH
    termios.tcsetattr(fd, termios.TCSANOW, mode)
    try:
        yield
    finally:
        termios.tcsetattr(fd, termios.TCSANOW, before)
