"""The methods of the protocol."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, cast

import acp
from acp import RequestError
from acp.agent.router import build_agent_router
from acp.meta import AGENT_METHODS
from acp.router import MessageRouter
from acp.schema import (
    AgentCapabilities,
    CloseSessionResponse,
    DeleteSessionRequest,
    DeleteSessionResponse,
    Implementation,
    InitializeResponse,
    ListSessionsResponse,
    LoadSessionResponse,
    McpCapabilities,
    NewSessionResponse,
    PromptCapabilities,
    PromptResponse,
    ResumeSessionResponse,
    SessionCapabilities,
    SessionCloseCapabilities,
    SessionDeleteCapabilities,
    SessionInfo,
    SessionListCapabilities,
    SessionResumeCapabilities,
    SetSessionConfigOptionResponse,
    SetSessionModeResponse,
)
from pydantic import BaseModel

from minime_acp.client import Client
from minime_acp.conversation import Conversation
from minime_acp.features import TOOLS_KEY, Features
from minime_acp.jsonrpc import INVALID_PARAMS
from minime_acp.opening import abilities
from minime_acp.stored import StoredSession, find_stored, note_folder, stored_sessions
from minime_core.assembly import Options
from minime_core.store import new_session_id

NOT_FOUND = -32002
"""The protocol's code for a session that does not exist."""
PAGE = 50
"""Sessions in one answer to `session/list`."""
OPENING = (AGENT_METHODS["session_new"], AGENT_METHODS["session_load"])


class Agent:
    """All sessions of one client.

    options: what the command line said; each session has its own folder.
    """

    def __init__(self, options: Options) -> None:
        self._options = replace(options, resume=None)
        self._conversations: dict[str, Conversation] = {}
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._router = _router(self)
        self.client: Client | None = None

    async def handle(self, method: str, params: Any, is_notification: bool) -> Any:
        """Handle one message. Raises what `jsonrpc.request_error` takes."""
        if is_notification and method != AGENT_METHODS["session_cancel"]:
            return None  # Notifications that are not known are ignored, `$/` ones above all.
        if isinstance(params, dict):
            # The package's router would take what is in `_meta` for parameters.
            params = {key: value for key, value in params.items() if key != "_meta"}
            if method in OPENING:
                params.setdefault("mcpServers", [])
            if method == AGENT_METHODS["initialize"]:
                self._client.features = Features.read(params.get("clientCapabilities"))
        return await self._router(method, params, is_notification)

    async def aclose(self) -> None:
        """Close all sessions, side by side."""
        conversations, self._conversations = self._conversations, {}
        closing = [conversation.aclose() for conversation in conversations.values()]
        await asyncio.gather(*closing, return_exceptions=True)

    async def initialize(self, protocol_version: int, **_: Any) -> InitializeResponse:
        can = await abilities(self._options)
        return InitializeResponse(
            protocol_version=acp.PROTOCOL_VERSION,
            agent_info=Implementation(name="mm", title="Mini Me", version=version("mini-me")),
            auth_methods=[],
            agent_capabilities=AgentCapabilities(
                load_session=True,
                prompt_capabilities=PromptCapabilities(
                    image=can.images, audio=False, embedded_context=True
                ),
                mcp_capabilities=McpCapabilities(http=can.mcp, sse=False),
                session_capabilities=SessionCapabilities(
                    list=SessionListCapabilities(),
                    delete=SessionDeleteCapabilities(),
                    resume=SessionResumeCapabilities(),
                    close=SessionCloseCapabilities(),
                ),
                field_meta={TOOLS_KEY: {"discovery": ["meta", "request"]}},
            ),
        )

    async def authenticate(self, method_id: str, **_: Any) -> None:
        raise RequestError(INVALID_PARAMS, "there is nothing to authenticate with")

    async def new_session(
        self, cwd: str, mcp_servers: Sequence[BaseModel] | None = None, **_: Any
    ) -> NewSessionResponse:
        session_id = new_session_id()
        options = replace(self._options, cwd=_folder(cwd), new_id=session_id)
        conversation = await self._open(session_id, options, mcp_servers)
        return NewSessionResponse(
            session_id=session_id,
            modes=conversation.modes,
            config_options=[*conversation.options],
        )

    async def load_session(
        self, session_id: str, cwd: str, mcp_servers: Sequence[BaseModel] | None = None, **_: Any
    ) -> LoadSessionResponse:
        conversation = await self._resume(session_id, cwd, mcp_servers)
        await conversation.replay()
        return LoadSessionResponse(modes=conversation.modes, config_options=[*conversation.options])

    async def resume_session(
        self, session_id: str, cwd: str, mcp_servers: Sequence[BaseModel] | None = None, **_: Any
    ) -> ResumeSessionResponse:
        conversation = await self._resume(session_id, cwd, mcp_servers)
        return ResumeSessionResponse(
            modes=conversation.modes, config_options=[*conversation.options]
        )

    async def list_sessions(
        self, cwd: str | None = None, cursor: str | None = None, **_: Any
    ) -> ListSessionsResponse:
        found = await asyncio.to_thread(stored_sessions, _folder(cwd) if cwd is not None else None)
        first = _after(found, cursor) if cursor is not None else 0
        page = found[first : first + PAGE]
        return ListSessionsResponse(
            sessions=[
                SessionInfo(
                    session_id=session.id,
                    cwd=session.cwd,
                    title=session.title or None,
                    updated_at=session.updated_at,
                )
                for session in page
            ],
            next_cursor=_cursor(page[-1]) if len(found) > first + PAGE else None,
        )

    async def close_session(self, session_id: str, **_: Any) -> CloseSessionResponse:
        async with self._locks[session_id]:
            conversation = self._find(session_id)
            del self._conversations[session_id]
            await conversation.aclose()
        return CloseSessionResponse()

    async def delete_session(self, session_id: str, **_: Any) -> DeleteSessionResponse:
        async with self._locks[session_id]:
            conversation = self._conversations.pop(session_id, None)
            path = find_stored(session_id, conversation.session.cwd if conversation else None)
            if conversation is not None:
                await conversation.aclose()
            elif path is None:
                raise _unknown(session_id)
            if path is not None:
                path.unlink(missing_ok=True)
        return DeleteSessionResponse()

    async def set_session_mode(
        self, session_id: str, mode_id: str, **_: Any
    ) -> SetSessionModeResponse:
        await self._find(session_id).set_mode(mode_id)
        return SetSessionModeResponse()

    async def set_config_option(
        self, session_id: str, config_id: str, value: str | bool, **_: Any
    ) -> SetSessionConfigOptionResponse:
        conversation = self._find(session_id)
        async with self._locks[session_id]:
            options = await conversation.set_option(config_id, value)
        return SetSessionConfigOptionResponse(config_options=[*options])

    async def prompt(self, session_id: str, prompt: Sequence[Any], **_: Any) -> PromptResponse:
        return await self._find(session_id).prompt(prompt)

    async def cancel(self, session_id: str, **_: Any) -> None:
        if conversation := self._conversations.get(session_id):
            conversation.cancel()

    @property
    def _client(self) -> Client:
        assert self.client is not None
        return self.client

    def _find(self, session_id: str) -> Conversation:
        conversation = self._conversations.get(session_id)
        if conversation is None:
            raise _unknown(session_id)
        return conversation

    async def _open(
        self, session_id: str, options: Options, servers: Sequence[BaseModel] | None
    ) -> Conversation:
        conversation = await Conversation.open(session_id, options, self._client, servers or [])
        self._conversations[session_id] = conversation
        note_folder(options.cwd)
        conversation.announce_soon()
        return conversation

    async def _resume(
        self, session_id: str, cwd: str, servers: Sequence[BaseModel] | None
    ) -> Conversation:
        folder = _folder(cwd)
        async with self._locks[session_id]:
            path = find_stored(session_id, folder)
            if path is None:
                raise _unknown(session_id)
            if (known := self._conversations.pop(session_id, None)) is not None:
                await known.aclose()
            options = replace(self._options, cwd=folder, resume=str(path))
            return await self._open(session_id, options, servers)


def _router(agent: Agent) -> MessageRouter:
    router = build_agent_router(cast("acp.Agent", agent), use_unstable_protocol=True)
    router.route_request(
        AGENT_METHODS["session_delete"], DeleteSessionRequest, agent, "delete_session"
    )
    return router


def _folder(cwd: str) -> Path:
    """Return the folder of a session. Raises RequestError when it cannot be worked in."""
    path = Path(cwd)
    if not path.is_absolute() or "\0" in cwd:
        raise RequestError(INVALID_PARAMS, f"cwd has to be an absolute path, not {cwd!r:.200}")
    if not path.is_dir():
        raise RequestError(INVALID_PARAMS, f"cwd is not a folder: {cwd!r:.200}")
    return path.resolve()


def _unknown(session_id: str) -> RequestError:
    return RequestError(NOT_FOUND, f"there is no session {session_id!r:.100}")


def _cursor(session: StoredSession) -> str:
    return f"{session.time!r} {session.id}"


def _after(found: Sequence[StoredSession], cursor: str) -> int:
    """Return where the page after a cursor begins, whatever was added or deleted since."""
    time, _, session_id = cursor.partition(" ")
    try:
        place = (-float(time), session_id)
    except ValueError as error:
        raise RequestError(INVALID_PARAMS, "this cursor is not one of ours") from error
    return sum(session.place <= place for session in found)
