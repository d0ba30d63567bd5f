"""One session of a client: its settings, its turns, its commands."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from acp import RequestError
from acp.schema import (
    AvailableCommand,
    AvailableCommandInput,
    AvailableCommandsUpdate,
    ConfigOptionUpdate,
    CurrentModeUpdate,
    PromptResponse,
    SessionConfigOptionSelect,
    SessionInfoUpdate,
    SessionModeState,
    UnstructuredCommandInput,
)
from pydantic import BaseModel

from minime_acp import choices as choosing
from minime_acp.client import Client
from minime_acp.jsonrpc import INVALID_PARAMS, INVALID_REQUEST
from minime_acp.opening import open_for
from minime_acp.prompt_text import prompt_images, prompt_text
from minime_acp.replay import replay
from minime_acp.stored import MAX_TITLE
from minime_acp.tool_calls import one_line
from minime_acp.turn import Turn
from minime_core.assembly import Options
from minime_core.cli.say import say
from minime_core.cli.slash_commands import slash_commands
from minime_core.config import Config
from minime_core.errors import MinimeError
from minime_core.events import Notice
from minime_core.frontends import SlashCommand, Suggestion
from minime_core.permission import Answer, Question
from minime_core.session import Session
from minime_core.settings import Policy, Thinking

ANNOUNCE_AFTER = 0.1
"""Seconds until a client is told of commands: some do not know a session at once."""
CLOSE_TIME = 5.0
"""Seconds that a cancelled turn may take to end before its session is closed under it."""
_COMMAND = re.compile(r"\s*/(\S+)(?:\s+(.*))?", re.DOTALL)


class Conversation:
    """A session that the client has open. Make one with `open`.

    id: the client's name for it, which is that of its file.
    """

    def __init__(self, id: str, options: Options, client: Client) -> None:
        self.id = id
        self._options = options
        self._client = client
        self._servers: Sequence[BaseModel] = ()
        self._profile = options.flags.get("profile") or choosing.AUTOMATIC
        self._always: set[str] = set()
        self._turn: Turn | None = None
        self._is_free = asyncio.Event()
        self._is_free.set()
        self._before: asyncio.Task[PromptResponse] | None = None
        self._announcing: asyncio.Task[None] | None = None
        self._session: Session | None = None
        self._choices = choosing.Choices({}, ())
        self._config: Config | None = None

    @property
    def session(self) -> Session:
        if self._session is None:
            raise RequestError(INVALID_REQUEST, "this session is closed")
        return self._session

    @property
    def modes(self) -> SessionModeState:
        return choosing.mode_state(self.session)

    @property
    def options(self) -> list[SessionConfigOptionSelect]:
        return choosing.config_options(self.session, self._choices, self._profile)

    @classmethod
    async def open(
        cls, id: str, options: Options, client: Client, servers: Sequence[BaseModel]
    ) -> Conversation:
        """Open or resume a session. Raises MinimeError and RequestError."""
        conversation = cls(id, options, client)
        conversation._servers = servers
        await conversation._open(options)
        return conversation

    async def replay(self) -> None:
        """Send all that was said in it."""
        for update in replay(self.session):
            await self._client.update(self.id, update)

    def announce_soon(self) -> None:
        """Tell the client of the commands when it knows of the session."""
        self._announcing = asyncio.create_task(self._announce_after(ANNOUNCE_AFTER))

    async def prompt(self, blocks: Sequence[Any]) -> PromptResponse:
        """Answer a prompt. Raises RequestError, also while another one is answered."""
        self._refuse_when_busy()
        session = self.session
        sees = session.sees_images
        question = prompt_text(blocks, session.settings.max_output, sees_images=sees)
        images = prompt_images(blocks) if sees else ()
        turn = self._turn = Turn(session, self._client, self.id, self._always, self._before)
        self._is_free.clear()
        try:
            if self._announcing is not None:
                self._announcing.cancel()
                await self._announce_after(0)
            if not any(message.role == "user" for message in session.history.view()):
                title = SessionInfoUpdate(
                    session_update="session_info_update", title=one_line(question)[:MAX_TITLE]
                )
                await self._client.update(self.id, title)
            match = _COMMAND.fullmatch(question)
            command = self._commands().get(match[1]) if match else None
            if match and command is not None:
                return await turn.obey(command, (match[2] or "").strip())
            return await turn.answer(question, images)
        finally:
            self._before, self._turn = turn.task, None
            self._is_free.set()

    def cancel(self) -> None:
        """End the turn that runs, if there is one."""
        if self._turn is not None:
            self._turn.cancel()

    async def set_mode(self, mode: str) -> None:
        """Change what runs without a question, at once. Raises RequestError."""
        self._check(mode, choosing.MODES, "mode")
        self.session.permission.policy = cast("Policy", mode)
        await self._client.update(
            self.id,
            ConfigOptionUpdate(
                session_update="config_option_update", config_options=[*self.options]
            ),
        )

    async def set_option(self, name: str, value: Any) -> list[SessionConfigOptionSelect]:
        """Change one of the options, and return all. Raises RequestError and MinimeError."""
        if name == "mode":
            self._check(value, choosing.MODES, name)
            self.session.permission.policy = value
            update = CurrentModeUpdate(session_update="current_mode_update", current_mode_id=value)
            await self._client.update(self.id, update)
        elif name == "thinking":
            self._check(value, choosing.THINKING, name)
            thinking = cast("Thinking", value)
            self.session.settings = replace(self.session.settings, thinking=thinking)
            self._keep_flags({"thinking": value})
        elif name == "model":
            self._check(value, self._choices.models, name)
            ref = self._choices.models[value]
            session = self.session
            await self._reopen(
                {"provider": ref.provider, "model": ref.model, "base_url": ref.base_url}
            )
            session.host.notify("mm_model_chosen", ref=ref)
        elif name == "profile":
            self._check(value, (choosing.AUTOMATIC, *self._choices.profiles), name)
            await self._reopen({"profile": "" if value == choosing.AUTOMATIC else value})
            self._profile = value
        else:
            raise RequestError(INVALID_PARAMS, f"there is no option {name!r:.50}")
        return self.options

    async def aclose(self) -> None:
        """Cancel what runs, wait for its end, and let go of everything."""
        self.cancel()
        await self._is_free.wait()
        if self._announcing is not None:
            self._announcing.cancel()
        await self._close()

    async def _open(self, options: Options) -> None:
        opened = await open_for(self.id, options, self._client, self._servers, self._call_id)
        self._session = opened.session
        self._session.ask = self._ask
        self._options = options
        # A choice that was made narrows the settings, and shall not narrow what can be chosen.
        self._config = self._config or opened.config
        self._choices = await choosing.find_choices(opened.host, self._config, opened.session)

    async def _reopen(self, changes: Mapping[str, Any]) -> None:
        """Go on with other settings in the same conversation; with the same ones if that fails."""
        self._refuse_when_busy()
        session = self.session
        permission, ref = session.permission, session.ref
        if ref.provider != "embedded":
            # So that it can be opened again also when the server is down.
            pinned = {"provider": ref.provider, "model": ref.model, "base_url": ref.base_url}
            self._keep_flags({name: value for name, value in pinned.items() if value})
        if session.file.path.exists():
            self._options = replace(self._options, resume=str(session.file.path))
        before = self._options
        await self._close()
        try:
            await self._open(replace(before, flags={**before.flags, **changes}))
        except MinimeError:
            await self._open(before)
            raise
        finally:
            if self._session is not None:
                self._session.permission = permission

    async def _close(self) -> None:
        if self._before is not None:
            await asyncio.wait([self._before], timeout=CLOSE_TIME)
        session, self._session = self._session, None
        if session is None:
            return
        await session.aclose()
        # What the end of the session brought to light, such as jobs that run on.
        for event in session.take_pending():
            if isinstance(event, Notice):
                say(event.text)

    def _keep_flags(self, flags: Mapping[str, Any]) -> None:
        self._options = replace(self._options, flags={**self._options.flags, **flags})

    def _check(self, value: Any, known: Any, name: str) -> None:
        if not isinstance(value, str) or value not in known:
            raise RequestError(
                INVALID_PARAMS, f"{value!r:.50} is no {name}; there are: {', '.join(known)}"
            )

    def _refuse_when_busy(self) -> None:
        if self._turn is not None:
            raise RequestError(INVALID_REQUEST, "busy: this session is answering another prompt")

    async def _ask(self, question: Question) -> Answer:
        if self._turn is None:
            return Answer(choice="no", why="nobody is there to allow it")
        return await self._turn.permission(question)

    def _call_id(self) -> str:
        return self._turn.call_id if self._turn is not None else ""

    def _commands(self) -> Mapping[str, SlashCommand]:
        return slash_commands(self.session)

    async def _announce_after(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
        self._announcing = None
        session = self.session
        named = {command.name: command.summary for command in self._commands().values()}
        for _, suggestion in session.host.collect("mm_suggestions", Suggestion, session=session):
            named.setdefault(suggestion.text.lstrip("$/"), suggestion.summary)
        hint = AvailableCommandInput(root=UnstructuredCommandInput(hint="what it shall be used on"))
        update = AvailableCommandsUpdate(
            session_update="available_commands_update",
            available_commands=[
                AvailableCommand(name=name, description=summary, input=hint)
                for name, summary in named.items()
            ],
        )
        await self._client.update(self.id, update)
