"""A turn as the program that asked sees it."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Self

from minime.events import Event, Result
from minime.progress import Progress


class Turn:
    """An async iterator of events, the last of which is `Done`.

        async for event in agent.stream("..."): ...

        async with agent.stream("...") as turn:
            async for event in turn: ...

    Dropping it cancels the turn, at once in CPython; `async with` does so on any interpreter.
    """

    def __init__(self, progress: Progress) -> None:
        # The agent holds the progress alone: if it held this object, dropping it would do nothing.
        self._progress = progress
        self._loop = asyncio.get_running_loop()

    @property
    def result(self) -> Result:
        """How the turn ended. Raises what made it fail, RuntimeError while it runs."""
        if not self._progress.finished.is_set():
            raise RuntimeError("the turn is still running")
        return self._progress.outcome()

    async def wait(self) -> None:
        """Wait until the turn has ended, well or not."""
        await self._progress.finished.wait()

    async def aclose(self) -> None:
        """Cancel the turn if it runs, and wait for its end."""
        self._progress.cancelled.set()
        await self._progress.finished.wait()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Event:
        try:
            event = await self._progress.events.get()
        except asyncio.CancelledError:
            await self.aclose()
            raise
        if event is None:
            # Whoever asks again is answered the same.
            self._progress.events.put_nowait(None)
            if self._progress.error is not None:
                raise self._progress.error
            raise StopAsyncIteration
        return event

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        await self.aclose()

    def __del__(self) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._progress.cancelled.set)
