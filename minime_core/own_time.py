"""How long code of a plugin may keep others waiting.

What counts is its own time: that in which control is inside of it, neither in what it calls nor
with whom it gave an event to, and in which no question to the user is open.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from minime_core.errors import PluginError


class OwnTime:
    """Ends what takes `limit` seconds of its own at once. A context manager, around one call.

    It is one timer, which looks at the time of the last start and arms itself again: an event costs
    a look at the clock. What takes too long is cancelled, and the call ends with `failure`. When
    somebody else cancelled it too, it ends as cancelled, and `report` is told the failure.
    """

    def __init__(
        self, limit: float, failure: PluginError, report: Callable[[Exception], None]
    ) -> None:
        self._limit, self._failure, self._report = limit, failure, report
        self._loop = asyncio.get_running_loop()
        self._inside = 0
        self._rung: list[asyncio.Task[object]] = []

    def __enter__(self) -> OwnTime:
        self.enter()
        self._timer = self._loop.call_later(self._limit, self._look)
        return self

    def enter(self) -> None:
        """Start the time for the task that runs now."""
        self._task = asyncio.current_task()
        self._cancels = self._task.cancelling() if self._task else 0
        self.back()

    def back(self) -> None:
        """Start the time: control comes back from where it went."""
        self._inside += 1
        self._since = self._loop.time()

    def leave(self) -> None:
        """Stop the time: control goes to what is called, or to whom the answer is for."""
        self._inside -= 1

    def _look(self) -> None:
        left = self._since + self._limit - self._loop.time()
        # Less than 1 as long as any of several calls at once is with others.
        if self._inside < 1 or self._task is None:
            left = self._limit
        elif left <= 0:
            self._rung.append(self._task)
            self._task.cancel()
            left = self._limit
        self._timer = self._loop.call_later(left, self._look)

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        # Our own cancellations are taken back; one by somebody else goes on.
        cancels = [task.uncancel() for task in self._rung]
        if cancels and cancels[-1] <= self._cancels:
            raise self._failure
        if cancels:
            self._report(self._failure)
