"""The same without `await`: an agent in a thread of its own.

    with minime.sync.start(config="agent.yaml") as agent:
        print(agent.complete("Explain this repository").text)
        for event in agent.stream("And the tests?"):
            ...

Callbacks and tools run in other threads than the caller's.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from types import TracebackType
from typing import Any, ParamSpec, Self, TypeVar

from minime import agent as asynchronous
from minime.events import Event, Result
from minime.starting import Starting
from minime.starting import start as start_async
from minime.turn import Turn

P = ParamSpec("P")
T = TypeVar("T")


class Agent:
    """A running agent. Its methods are those of `minime.Agent`, and may be called in any thread."""

    def __init__(self, starting: Starting) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="minime", daemon=True)
        self._thread.start()
        try:
            self._agent = self._call(_started(starting))
        except BaseException:
            self._end_loop()
            raise

    @property
    def session_id(self) -> str:
        return self._agent.session_id

    def complete(self, prompt: str, *, timeout: float | None = None) -> Result:
        """Ask, and return the whole answer. See `minime.Agent.complete`."""
        return self._call(self._agent.complete(prompt, timeout=timeout))

    def stream(self, prompt: str, *, timeout: float | None = None) -> Iterator[Event]:
        """Ask, and yield what happens. Leaving the loop early cancels the turn and waits for it."""
        turn = self._call(_begun(self._agent, prompt, timeout))
        try:
            while (event := self._call(_next(turn))) is not None:
                yield event
        finally:
            self._call(turn.aclose())

    def cancel(self) -> None:
        """Cancel the turn that another thread runs, and wait for its end."""
        self._call(self._agent.cancel())

    def reset(self) -> None:
        """Begin a new conversation in the same process."""
        self._call(self._agent.reset())

    def close(self) -> None:
        """End the process. More than once does no harm."""
        if self._loop.is_running():
            self._call(self._agent.close())
            self._end_loop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        self.close()

    def _call(self, work: Coroutine[Any, Any, T]) -> T:
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except KeyboardInterrupt:
            # The turn is cancelled and waited for, as when a task is cancelled.
            future.cancel()
            raise

    def _end_loop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


def _starter(function: Callable[P, Starting]) -> Callable[P, Agent]:
    def start(*arguments: P.args, **options: P.kwargs) -> Agent:
        """Start `mm acp` and open a session. Takes what `minime.start` takes, raises the same."""
        return Agent(function(*arguments, **options))

    return start


start = _starter(start_async)


async def _started(starting: Starting) -> asynchronous.Agent:
    return await starting


async def _begun(agent: asynchronous.Agent, prompt: str, limit: float | None) -> Turn:
    return agent.stream(prompt, timeout=limit)


async def _next(turn: Turn) -> Event | None:
    return await anext(turn, None)
