"""One turn of a conversation: from a prompt to its answer, whatever comes between."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from contextlib import aclosing
from typing import Any
from uuid import uuid4

from acp import RequestError
from acp.schema import PermissionOption, PromptResponse, StopReason, ToolCallUpdate

from minime_acp import tool_calls
from minime_acp.client import Client
from minime_acp.jsonrpc import INTERNAL_ERROR
from minime_acp.translation import Translation, Update, agent_text
from minime_core.events import Event, Notice, TurnDone
from minime_core.frontends import SlashCommand
from minime_core.permission import Answer, Choice, Question
from minime_core.session import Session
from minime_core.tools import Tool

CANCEL_TIME = 0.7
"""Seconds that a cancelled turn has to end what it started, before its prompt is answered."""
CANCELLED = "[cancelled]"
"""What is shown as the result of a call that has none."""
OPTIONS = [
    PermissionOption(option_id="allow", name="Allow", kind="allow_once"),
    PermissionOption(option_id="allow_always", name="Always allow", kind="allow_always"),
    PermissionOption(option_id="reject", name="Reject", kind="reject_once"),
    PermissionOption(option_id="never", name="Never allow", kind="reject_always"),
]
CHOICES: dict[str | None, Choice] = {
    "allow": "once",
    "allow_always": "always",
    "reject": "no",
    "never": "never",
}
STOPS: dict[str, StopReason] = {"length": "max_tokens", "content_filter": "refusal"}
"""What the model server's reasons are here."""


class Turn:
    """What runs for one prompt.

    session_id: the client's name for the session.
    always: names of the tools that the user allowed for the session; added to.
    before: the turn before, if what it started has not ended yet.
    """

    def __init__(
        self,
        session: Session,
        client: Client,
        session_id: str,
        always: set[str],
        before: asyncio.Task[PromptResponse] | None,
    ) -> None:
        self._session = session
        self._client = client
        self._session_id = session_id
        self._always = always
        self._before = before
        self._translation = Translation(session=session, is_free=self._is_free)
        self._cancelled = asyncio.Event()
        self._is_answered = False
        self._done: TurnDone | None = None
        self._last_error = "the turn ended without a reason"
        self.task: asyncio.Task[PromptResponse] | None = None

    @property
    def call_id(self) -> str:
        """The id of the call that runs."""
        return next(reversed(self._translation.open_calls), "")

    async def answer(self, question: str, images: tuple[str, ...] = ()) -> PromptResponse:
        """Have the model answer. Raises RequestError when it does not."""
        return await self._outcome(self._ask_model(question, images))

    async def obey(self, command: SlashCommand, argument: str) -> PromptResponse:
        """Run a command of the user. Raises MinimeError when it does."""
        return await self._outcome(self._run_command(command, argument))

    def cancel(self) -> None:
        """End the turn; nothing that was asked for begins any more."""
        self._cancelled.set()
        if self.task is not None:
            self.task.cancel()

    async def permission(self, question: Question) -> Answer:
        """Ask the user whether a call may run; anything but a clear yes is a no."""
        call = question.call
        kind: Any = question.tool.kind
        where = question.tool.locations(call.arguments)
        cwd = self._session.cwd
        shown = ToolCallUpdate(
            tool_call_id=call.id,
            title=tool_calls.one_line(question.title),
            kind=kind,
            status="pending",
            raw_input=dict(call.arguments),
            content=tool_calls.diff_contents([question.diff], cwd) if question.diff else None,
            locations=tool_calls.locations(where, cwd) or None,
        )
        chosen = await self._client.permission(self._session_id, shown, OPTIONS)
        if self._cancelled.is_set():
            return Answer(choice="no", why="the question was cancelled")
        choice = CHOICES.get(chosen, "no")
        if choice == "always":
            self._always.add(question.tool.name)
        if choice in ("once", "always"):
            await self._send(self._translation.allowed(call.id))
        return Answer(choice=choice, why="" if chosen in CHOICES else "nobody allowed it")

    async def _outcome(self, work: Coroutine[Any, Any, PromptResponse]) -> PromptResponse:
        """Wait for `work`, in a task of its own, so that it can be cancelled and still answered."""
        self.task = asyncio.create_task(work)
        if self._cancelled.is_set():
            self.task.cancel()
        cancelled = asyncio.create_task(self._cancelled.wait())
        try:
            await asyncio.wait([self.task, cancelled], return_when=asyncio.FIRST_COMPLETED)
            await asyncio.wait([self.task], timeout=CANCEL_TIME)
        except asyncio.CancelledError:
            self.cancel()
            await asyncio.wait([self.task], timeout=CANCEL_TIME)
            raise
        finally:
            cancelled.cancel()
            await self._send(self._translation.abandoned(CANCELLED))
            self._is_answered = True
        if self.task.done() and not self.task.cancelled():
            failure = self.task.exception()
            if failure is None or not self._cancelled.is_set():
                return self.task.result()
        return PromptResponse(stop_reason="cancelled", usage=self._translation.usage())

    async def _ask_model(self, question: str, images: tuple[str, ...]) -> PromptResponse:
        await self._wait_for_before()
        async with self._session.run(question, images) as events, aclosing(events):
            async for event in events:
                await self._show(event)
        return self._response()

    async def _run_command(self, command: SlashCommand, argument: str) -> PromptResponse:
        await self._wait_for_before()
        text = await command.run(self._session, argument)
        await self._send([agent_text(text, uuid4().hex)])
        for event in self._session.take_pending():
            await self._show(event)
        return PromptResponse(stop_reason="end_turn")

    async def _wait_for_before(self) -> None:
        if self._before is not None:
            await asyncio.wait([self._before])

    async def _show(self, event: Event) -> None:
        if isinstance(event, Notice):
            if event.level == "error":
                self._last_error = event.text
            await self._client.notice(self._session_id, event.level, event.text)
        elif isinstance(event, TurnDone):
            self._done = event
        else:
            await self._send(self._translation.updates(event))

    async def _send(self, updates: Iterable[Update]) -> None:
        for update in updates:
            # What a turn that was cancelled does after its answer is not shown any more.
            if not self._is_answered:
                await self._client.update(self._session_id, update)

    def _response(self) -> PromptResponse:
        done = self._done
        assert done is not None
        stop = STOPS.get(self._translation.finish_reason)
        if done.reason == "limit":
            stop = "max_turn_requests"
        elif done.reason in ("answered", "unexecuted"):
            stop = stop or "end_turn"
        elif done.reason != "empty" or stop is None:
            text = str(done.error or self._last_error)
            if done.reason == "empty":
                text = "the model gave no answer"
            raise RequestError(INTERNAL_ERROR, text, {"details": text, "reason": done.reason})
        return PromptResponse(stop_reason=stop, usage=self._translation.usage())

    def _is_free(self, tool: Tool) -> bool:
        is_harmless = not tool.effects - {"read"}
        policy = self._session.permission.policy
        return is_harmless or policy == "yolo" or tool.name in self._always
