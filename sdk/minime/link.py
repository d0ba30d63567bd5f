"""Requests to the agent, and their failures in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from acp import RequestError
from acp.connection import Connection

from minime.answering import Answers
from minime.errors import AgentExited, ClosedError, MinimeError, StartError, TurnError
from minime.process import Process
from minime.progress import Progress
from minime.wire import Wire

PROMPT = "session/prompt"


class Link:
    """The connection to one process.

    session_id: whose updates are listened to.
    is_closing: set before the process is ended, so that its end is no failure.
    """

    def __init__(self, process: Process, answers: Answers) -> None:
        self.session_id = ""
        self.is_closing = False
        self._process = process
        self._answers = answers
        self._connection = Connection(answers.handle, Wire(process, self._update))

    @property
    def progress(self) -> Progress | None:
        """The turn that runs, or ran last."""
        return self._answers.progress

    @progress.setter
    def progress(self, progress: Progress) -> None:
        self._answers.progress = progress

    async def request(self, method: str, params: Mapping[str, Any]) -> Mapping[str, Any]:
        """Ask the agent. Raises TurnError, StartError, AgentExited and ClosedError."""
        try:
            answer = await self._connection.send_request(method, params)
        except RequestError as error:
            what = "turn" if method == PROMPT else method
            text = self.with_stderr(f"{what} failed: {error} ({error.code})")
            if method == PROMPT:
                raise TurnError(text, code=error.code, data=error.data) from error
            raise StartError(text) from error
        except ConnectionError:
            raise await self._exited() from None
        return answer if isinstance(answer, Mapping) else {}

    async def notify(self, method: str, params: Mapping[str, Any]) -> None:
        """Tell the agent, if it still listens."""
        try:
            await self._connection.send_notification(method, params)
        except ConnectionError:
            pass  # The request that waits hears of it as well.

    async def close(self, patience: float) -> None:
        """End the process, by force after so many seconds."""
        self.is_closing = True
        await self._process.end(patience)
        await self._connection.close()

    def with_stderr(self, text: str) -> str:
        """Return `text` with the last line that the agent wrote for people."""
        last = self._process.last_line
        return f"{text} [stderr: {last}]" if last else text

    async def _exited(self) -> MinimeError:
        if self.is_closing:
            return ClosedError("the agent is closed")
        status = await self._process.exit_status()
        how = "mm talks no more" if status is None else f"mm exited: exit status {status}"
        return AgentExited(self.with_stderr(how), returncode=status)

    def _update(self, params: dict[str, Any]) -> None:
        update, progress = params.get("update"), self.progress
        if progress is None or progress.finished.is_set() or not isinstance(update, Mapping):
            return
        if params.get("sessionId") == self.session_id:
            progress.update(update)
