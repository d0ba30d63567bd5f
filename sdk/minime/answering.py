"""What the agent asks of this program: whether a call may run, and to run a tool."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping
from typing import Any

from minime.decisions import CANCELLED, OnPermission, outcome
from minime.process import log
from minime.progress import Progress, tool_call
from minime.tools import Tool, called

TOOLS_KEY = "org.mini-me/tools"
"""The key in `_meta` under which tools are offered."""
LIST_TOOLS = f"_{TOOLS_KEY}/list"


class Answers:
    """Answers the agent's requests.

    tools: by their method.
    progress: the turn that runs; a question that comes when it is cancelled, or later, gets a no.
    """

    def __init__(self, on_permission: OnPermission | None, tools: Mapping[str, Tool]) -> None:
        self._on_permission = on_permission
        self._tools = tools
        self.progress: Progress | None = None

    @property
    def offers(self) -> list[dict[str, Any]]:
        """The tools, as the agent is told of them."""
        return [tool.offer() for tool in self._tools.values()]

    async def handle(self, method: str, params: Any, is_notification: bool) -> Any:
        """Answer one message. Raises the package's RequestError for a method that is not known."""
        from acp import RequestError

        params = params if isinstance(params, dict) else {}
        if is_notification:
            return None
        if method == "session/request_permission":
            return await self._while_turn_runs(self._permission(params)) or CANCELLED
        if method == LIST_TOOLS:
            return {"tools": self.offers}
        if (tool := self._tools.get(method)) is not None:
            answer = await self._while_turn_runs(tool.call(params.get("arguments")))
            return answer or {"content": [{"type": "text", "text": "cancelled"}], "isError": True}
        raise RequestError.method_not_found(method)

    async def _permission(self, params: Mapping[str, Any]) -> Mapping[str, Any]:
        said: object = None
        asked = params.get("toolCall")
        if self._on_permission is not None and isinstance(asked, Mapping):
            call = tool_call(str(asked.get("toolCallId", "")), asked)
            try:
                said = await called(self._on_permission, call)
            except Exception:
                log.exception("on_permission failed: the call is rejected")
        return outcome(said, params.get("options"))

    async def _while_turn_runs(
        self, work: Coroutine[Any, Any, Mapping[str, Any]]
    ) -> Mapping[str, Any] | None:
        """Return the result of `work`, None when the turn is cancelled before it is there."""
        doing = asyncio.ensure_future(work)
        progress = self.progress
        if progress is None or progress.finished.is_set():
            doing.cancel()
            return None
        cancelling = asyncio.create_task(progress.cancelled.wait())
        try:
            await asyncio.wait([doing, cancelling], return_when=asyncio.FIRST_COMPLETED)
            return None if progress.cancelled.is_set() else doing.result()
        finally:
            doing.cancel()
            cancelling.cancel()
