"""A gate that a test opens and at which the fault server waits."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from functools import partial


class Gate:
    """Hold a reply at one place until the test lets it go on.

    A gate joins the test's thread and the server's: `wait_reached` tells that all bytes before
    the gate are with the client's operating system, `open` lets the reply go on. An open gate
    stays open, and several replies may wait at the same one.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open = False
        self._reached = threading.Event()
        self._wakers: set[Callable[[], object]] = set()

    def open(self) -> None:
        """Let every reply pass, now and later."""
        with self._lock:
            self._open = True
            for wake in self._wakers:
                wake()

    def wait_reached(self, timeout: float = 5.0) -> bool:
        """Wait until a reply has come to the gate.

        This blocks the calling thread: a coroutine calls it through `asyncio.to_thread`.

        Args:
            timeout: seconds to wait at most.

        Returns:
            Whether a reply came in time.
        """
        return self._reached.wait(timeout)

    async def wait_open(self) -> None:
        """Wait, in the server's event loop, until the gate is open."""
        opened = asyncio.Event()
        wake = partial(asyncio.get_running_loop().call_soon_threadsafe, opened.set)
        with self._lock:
            if self._open:
                opened.set()
            self._wakers.add(wake)
        self._reached.set()
        try:
            await opened.wait()
        finally:
            with self._lock:
                self._wakers.discard(wake)
