"""An agent: one process, one conversation, one turn at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from minime.answering import TOOLS_KEY
from minime.errors import BusyError, ClosedError, MinimeError, StartError, TurnError
from minime.events import Result
from minime.progress import Progress, usage
from minime.turn import Turn

if TYPE_CHECKING:
    from minime.link import Link

REQUEST_CANCELLED = -32800
PROTOCOL = 1


class Agent:
    """A running agent. Made by `minime.start`.

    info: what the agent says of itself: name, title, version.
    capabilities: what it can do, as the protocol has it.
    """

    def __init__(
        self, link: Link, cwd: Path, *, cancel_timeout: float, close_timeout: float
    ) -> None:
        self.info: Mapping[str, Any] = {}
        self.capabilities: Mapping[str, Any] = {}
        self._link = link
        self._cwd = cwd
        self._cancel_timeout = cancel_timeout
        self._close_timeout = close_timeout
        self._driver: asyncio.Task[None] | None = None
        self._closing: asyncio.Task[None] | None = None

    @property
    def session_id(self) -> str:
        """The conversation's id in the protocol."""
        return self._link.session_id

    async def complete(self, prompt: str, *, timeout: float | None = None) -> Result:  # noqa: ASYNC109
        """Ask, and return the whole answer.

        timeout: seconds until the turn is cancelled; its result is then the text so far, with the
            stop reason `cancelled`.

        Raises BusyError, TurnError, AgentExited and ClosedError. When the task is cancelled, the
        turn is cancelled and waited for first.
        """
        turn = self.stream(prompt, timeout=timeout)
        try:
            await turn.wait()
        except asyncio.CancelledError:
            await turn.aclose()
            raise
        return turn.result

    def stream(self, prompt: str, *, timeout: float | None = None) -> Turn:
        """Ask, and return the turn, to be iterated over with `async for`.

        Leaving the loop early cancels the turn. Raises as `complete` does, from the loop too.
        """
        if self._closing is not None:
            raise ClosedError("the agent is closed")
        self._refuse_when_busy()
        before, progress = self._link.progress, Progress()
        self._link.progress = progress
        self._driver = asyncio.create_task(self._drive(prompt, progress, before, timeout))
        return Turn(progress)

    async def cancel(self) -> None:
        """Cancel the turn that runs, and wait for its end. Does nothing when none runs."""
        if (progress := self._link.progress) is not None:
            progress.cancelled.set()
            await progress.finished.wait()

    async def reset(self) -> None:
        """Begin a new conversation in the same process. Raises BusyError while a turn runs."""
        self._refuse_when_busy()
        if (progress := self._link.progress) is not None:
            await progress.finished.wait()
        await self.open_session()

    async def close(self) -> None:
        """End the process; it is killed when it takes too long. More than once does no harm."""
        if self._closing is None:
            self._closing = asyncio.create_task(self._close())
        await asyncio.shield(self._closing)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        await self.close()

    async def initialize(self, offered: object) -> None:
        """Greet the agent. Raises StartError and AgentExited.

        offered: a list of tools, or True when the agent shall ask for them.
        """
        answer = await self._link.request(
            "initialize",
            {
                "protocolVersion": PROTOCOL,
                "clientInfo": {"name": "minime", "version": "1"},
                "clientCapabilities": {"_meta": {TOOLS_KEY: offered}} if offered else {},
            },
        )
        if answer.get("protocolVersion") != PROTOCOL:
            raise StartError(f"the agent does not speak version {PROTOCOL} of the protocol")
        self.info = answer.get("agentInfo") or {}
        self.capabilities = answer.get("agentCapabilities") or {}

    async def open_session(self) -> None:
        """Begin a conversation. Raises StartError with the agent's words, and AgentExited."""
        answer = await self._link.request("session/new", {"cwd": str(self._cwd), "mcpServers": []})
        self._link.session_id = str(answer.get("sessionId", ""))

    def _refuse_when_busy(self) -> None:
        running = self._link.progress
        # One that was left is only waited for.
        if running is not None and not running.finished.is_set() and not running.cancelled.is_set():
            raise BusyError("a turn is running on this agent")

    async def _drive(
        self, prompt: str, progress: Progress, before: Progress | None, limit: float | None
    ) -> None:
        """Ask, wait for the answer, and cancel when that is wanted or the time limit is over."""
        try:
            if before is not None:
                await before.finished.wait()
            if progress.cancelled.is_set():
                progress.finish("cancelled", None)
                return
            answer = await self._answer(prompt, progress, limit)
            progress.finish(str(answer.get("stopReason", "")), usage(answer))
        except TurnError as error:
            if progress.cancelled.is_set() and error.code == REQUEST_CANCELLED:
                progress.finish("cancelled", None)
            else:
                progress.fail(error)
        except MinimeError as error:
            progress.fail(error)
        finally:
            if not progress.finished.is_set():
                progress.fail(ClosedError("the agent was closed during the turn"))

    async def _answer(
        self, prompt: str, progress: Progress, limit: float | None
    ) -> Mapping[str, Any]:
        session = {"sessionId": self.session_id}
        params = {**session, "prompt": [{"type": "text", "text": prompt}]}
        asking = asyncio.create_task(self._link.request("session/prompt", params))
        cancelling = asyncio.create_task(progress.cancelled.wait())
        try:
            await asyncio.wait(
                [asking, cancelling], timeout=limit, return_when=asyncio.FIRST_COMPLETED
            )
            if not asking.done():
                # A question of permission that waits is answered by it.
                progress.cancelled.set()
                await self._link.notify("session/cancel", session)
                await asyncio.wait([asking], timeout=self._cancel_timeout)
            if not asking.done():
                why = f"mm did not end the turn {self._cancel_timeout:g} s after it was cancelled"
                raise TurnError(self._link.with_stderr(why))
            return await asking
        finally:
            asking.cancel()
            cancelling.cancel()

    async def _close(self) -> None:
        self._link.is_closing = True
        if self._link.progress is not None:
            self._link.progress.cancelled.set()
        await self._link.close(self._close_timeout)
        if self._driver is not None:
            await asyncio.wait([self._driver])
