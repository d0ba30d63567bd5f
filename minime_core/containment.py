"""What a plugin's code may not take from the process: its output and its signals.

A thread that it blocks cannot be taken back, and `os._exit` cannot be caught.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from importlib import import_module

WATCHED = (signal.SIGINT, signal.SIGTERM)

# What `signal.getsignal` wraps: the names that it gives to handlers take a hundred times as long,
# and this is asked for each piece of an answer.
_handler = import_module("_signal").getsignal


class SignalHandlers:
    """The signal handlers as they are now."""

    def __init__(self) -> None:
        self._handlers = [(number, _handler(number)) for number in WATCHED]

    def put_back(self) -> str:
        """Undo a change of them, and return what was wrong; "" when nothing was."""
        replaced = [(n, h) for n, h in self._handlers if h and _handler(n) is not h]
        for number, handler in replaced:
            signal.signal(number, handler)
        names = ", ".join(number.name for number, _ in replaced)
        return f"it replaced the handler of {names}, which is put back" if names else ""


@contextmanager
def contained() -> Iterator[None]:
    """Send to stderr what is printed inside: stdout is for answers.

    Raises RuntimeError when the code inside replaced a signal handler.
    """
    handlers = SignalHandlers()
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        fault = handlers.put_back()
    if fault:
        raise RuntimeError(fault)
