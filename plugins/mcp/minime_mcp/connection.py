"""A running server, as long as a session needs it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import httpx2
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CONNECTION_CLOSED, CallToolResult, Implementation
from pydantic import ValidationError

from minime_core.errors import UserError
from minime_mcp.offered import OfferedTool, offered
from minime_mcp.servers import Server
from minime_mcp.transport import MAX_SAID, program
from minime_shared.cleaning import one_line

CLOSING = 5.0
"""Seconds that a server has to say goodbye."""
MAX_TOOLS = 500
"""Most tools of a server that are looked at."""


class ServerFailed(Exception):
    """A server cannot be used; the text says why, in one line."""


class Connection:
    """One server. `open` starts it, `aclose` ends it; calls may come from any task between.

    start_timeout, call_timeout: seconds.
    left_out: tools that cannot be used, with the reason.
    """

    def __init__(self, server: Server, *, start_timeout: float, call_timeout: float) -> None:
        self.server = server
        self._start_timeout = start_timeout
        self._call_timeout = call_timeout
        self._said = b""
        self._opened: asyncio.Future[dict[str, OfferedTool]] | None = None
        self._closing = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._client: Client | None = None
        self.left_out: list[str] = []
        self._is_lost = False

    async def open(self) -> dict[str, OfferedTool]:
        """Start the server, once, and return its tools by their names. Raises ServerFailed."""
        if self._opened is None:
            self._opened = asyncio.get_running_loop().create_future()
            # The SDK wants to be left by the task that entered it.
            self._task = asyncio.create_task(self._run(self._opened))
        return await asyncio.shield(self._opened)

    async def call(
        self, tool: str, arguments: dict[str, Any], show: Callable[[str], None]
    ) -> CallToolResult:
        """Call a tool of the opened server. Raises ServerFailed.

        show: is given what the server says of its progress.
        """

        async def shown(progress: float, total: float | None, message: str | None) -> None:
            if message:
                show(f"{one_line(message, 200)}\n")

        assert self._client is not None
        with self._told():
            return await self._client.call_tool(
                tool, arguments, self._call_timeout, progress_callback=shown
            )

    @property
    def is_unusable(self) -> bool:
        """Whether a new connection is needed: it did not start, or ended by itself."""
        return self._is_lost or self._client is None

    async def aclose(self) -> None:
        """End the server."""
        self._closing.set()
        if self._task is None or self._opened is None:
            return
        if not self._opened.done():
            self._task.cancel()
        await asyncio.wait([self._task])

    async def _run(self, opened: asyncio.Future[dict[str, OfferedTool]]) -> None:
        try:
            with self._told():
                async with asyncio.timeout(self._start_timeout) as limit:
                    async with self._connected() as client:
                        tools = await self._list(client)
                        limit.reschedule(None)
                        self._client = client
                        opened.set_result(tools)
                        await self._closing.wait()
                        limit.reschedule(asyncio.get_running_loop().time() + CLOSING)
        except ServerFailed as failed:
            if not opened.done():
                opened.set_exception(failed)
                # Nobody may be waiting any more.
                opened.exception()
        finally:
            opened.cancel()

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator[Client]:
        me = Implementation(name="mm", version="1")
        if self.server.command:
            async with Client(program(self.server, self._note), client_info=me) as client:
                yield client
            return
        headers = self.server.expanded(self.server.headers)
        async with (
            httpx2.AsyncClient(headers=headers, timeout=self._call_timeout) as http,
            Client(streamable_http_client(self.server.url, http_client=http), client_info=me) as c,
        ):
            yield c

    async def _list(self, client: Client) -> dict[str, OfferedTool]:
        tools: dict[str, OfferedTool] = {}
        cursor, seen = None, 0
        while seen < MAX_TOOLS:
            page = await client.list_tools(cursor=cursor)
            for tool in page.tools:
                try:
                    found = offered(
                        self.server.name, tool.name, tool.description, tool.input_schema
                    )
                except ValueError as error:
                    self.left_out.append(f"{one_line(tool.name, 60)}: {error}")
                    continue
                tools.setdefault(found.inner, found)
            seen += max(len(page.tools), 1)
            if (cursor := page.next_cursor) is None:
                break
        return tools

    def _note(self, said: bytes) -> None:
        self._said = (self._said + said)[-MAX_SAID:]

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Raise ServerFailed for whatever goes wrong inside."""
        try:
            yield
        except ServerFailed:
            raise
        except Exception as error:  # a server may answer anything, and the SDK then raise anything
            cause = _innermost(error)
            self._is_lost |= isinstance(cause, MCPError) and cause.code == CONNECTION_CLOSED
            raise ServerFailed(f"{self._why(cause)}{self._last_words()}") from error

    def _why(self, error: BaseException) -> str:
        match error:
            case UserError():
                return str(error)
            case TimeoutError():
                return f"it was not ready within {self._start_timeout:g} s"
            case FileNotFoundError():
                return f"there is no program {one_line(self.server.command, 80)!r}, or no such cwd"
            case MCPError() if self._is_lost:
                return "it ended"
            case MCPError():
                return one_line(error.message, 300) or "it refused without a reason"
            case httpx2.TransportError():
                return f"{self.server.place} cannot be reached"
            case ValidationError():
                return "it answered what the protocol does not have"
            case _:
                return one_line(f"{type(error).__name__}: {error}", 300)

    def _last_words(self) -> str:
        lines = self._said.decode("utf-8", "replace").strip().splitlines()
        return f"; it said last: {one_line(lines[-1], 200)}" if lines else ""


def _innermost(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
