"""What the agent says to the client and asks of it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from acp import RequestError
from acp.meta import CLIENT_METHODS
from acp.schema import AllowedOutcome, PermissionOption, RequestPermissionResponse, ToolCallUpdate
from pydantic import BaseModel, ValidationError

from minime_acp.features import Features
from minime_core.cli.say import say

if TYPE_CHECKING:
    from minime_acp.jsonrpc import Endpoint

LIST_TOOLS = "_org.mini-me/tools/list"
LIST_TIMEOUT = 10.0
"""Seconds that a client has to list its tools."""


class Client:
    """The program at the other end.

    features: what it can do; nothing until it says so.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self.features = Features()

    async def update(self, session_id: str, update: BaseModel | Mapping[str, Any]) -> None:
        """Send one `session/update`; nobody hears it when the client has left."""
        try:
            await self._endpoint.notify(
                CLIENT_METHODS["session_update"], {"sessionId": session_id, "update": update}
            )
        except ConnectionError:
            pass  # The end of the input ends the session.

    async def notice(self, session_id: str, severity: str, text: str) -> None:
        """Show something beside the conversation, on stderr where the client cannot."""
        if self.features.takes_notices:
            notice = {"sessionUpdate": "notice", "severity": severity, "title": text}
            await self.update(session_id, notice)
        else:
            say(text)

    async def permission(
        self, session_id: str, call: ToolCallUpdate, options: Sequence[PermissionOption]
    ) -> str | None:
        """Return the id of the option that was chosen, None for any other answer."""
        params = {"sessionId": session_id, "toolCall": call, "options": [*options]}
        try:
            answer = await self._endpoint.request(
                CLIENT_METHODS["session_request_permission"], params
            )
            outcome = RequestPermissionResponse.model_validate(answer).outcome
        except (RequestError, ValidationError, ConnectionError) as error:
            say(f"the client did not answer a question of permission: {error}")
            return None
        return outcome.option_id if isinstance(outcome, AllowedOutcome) else None

    async def request(self, method: str, params: Mapping[str, Any]) -> Any:
        """Ask for anything else. Raises RequestError and ConnectionError."""
        return await self._endpoint.request(method, params)

    async def listed_tools(self, session_id: str) -> Any:
        """Return the client's tools, asked for if it wants that; None when it does not say."""
        if self.features.tools is not True:
            return self.features.tools
        try:
            async with asyncio.timeout(LIST_TIMEOUT):
                return await self.request(LIST_TOOLS, {"sessionId": session_id})
        except (RequestError, ConnectionError, TimeoutError) as error:
            why = str(error) or f"no answer in {LIST_TIMEOUT:g} s"
            say(f"the client does not list its tools: {why}")
            return None
