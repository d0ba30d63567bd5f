"""The enabled tools of the servers, as the model calls them."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Iterator
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING

from minime_core.config import Config
from minime_core.errors import UserError
from minime_core.tools import Arguments, Effect, Tool, ToolContext, ToolResult
from minime_mcp.offered import OfferedTool
from minime_mcp.pins import Pins
from minime_mcp.servers import Server, servers
from minime_mcp.settings import McpSettings
from minime_shared.cleaning import without_notices

if TYPE_CHECKING:
    from minime_mcp.connection import Connection

STASH = "mcp"
"""Where the connections are kept in the stash of a session's tools."""
EFFECTS: frozenset[Effect] = frozenset({"read", "write", "network"})
"""What a call may do: nobody but the server knows, and its word counts for nothing."""
MISSING = "the package `mcp` is not installed: pip install 'mini-me[mcp]'"


def has_sdk() -> bool:
    """Return whether servers can be spoken to, without importing what that needs."""
    return find_spec("mcp") is not None


def connect(server: Server, settings: McpSettings) -> Connection:
    """Return a connection that is not open yet. Raises UserError when the SDK is missing."""
    if not has_sdk():
        raise UserError(f"MCP server {server.name}: {MISSING}")
    from minime_mcp.connection import Connection

    return Connection(
        server, start_timeout=settings.start_timeout, call_timeout=settings.call_timeout
    )


def enabled_tools(config: Config) -> Iterator[Tool]:
    """Yield the tools that the user enabled. No server is started for it."""
    pins: Pins | None = None
    settings = config.section("mcp", McpSettings)
    names: set[str] = set()
    for server in servers(config).values():
        pins = pins or Pins()
        for pin in pins.of(server).values():
            # Two servers may give the same name; the first one has it.
            if pin.name not in names:
                names.add(pin.name)
                yield as_tool(server, pin, settings)


def as_tool(server: Server, pin: OfferedTool, settings: McpSettings) -> Tool:
    """Return what the model gets of an enabled tool."""
    return Tool(
        name=pin.name,
        description=pin.description,
        schema=pin.schema,
        run=partial(_run, server, pin, settings),
        effects=EFFECTS,
        title=partial(_title, pin.name),
        subject=_plain,
    )


async def _run(
    server: Server,
    pin: OfferedTool,
    settings: McpSettings,
    arguments: Arguments,
    context: ToolContext,
) -> ToolResult:
    running: dict[str, Connection] = context.stash.setdefault(STASH, {})
    connection = running.get(server.name)
    try:
        if connection is None:
            connection = running[server.name] = connect(server, settings)
    except UserError as error:
        return _failed(pin, str(error))
    from minime_mcp.answering import tool_result
    from minime_mcp.connection import ServerFailed

    try:
        known = (await connection.open()).get(pin.inner)
        if known is None or known.digest != pin.digest:
            return _refused(server, pin, is_gone=known is None)
        answer = await connection.call(pin.inner, dict(arguments), context.emit)
    except ServerFailed as failed:
        if connection.is_unusable and running.get(server.name) is connection:
            # The next call starts it anew.
            del running[server.name]
            await connection.aclose()
        return _failed(pin, f"MCP server {server.name}: {failed}")
    return tool_result(pin.name, answer, context)


def _failed(pin: OfferedTool, why: str) -> ToolResult:
    return ToolResult(text=f"[{pin.name}: failed: {without_notices(why)}]", ok=False)


def _refused(server: Server, pin: OfferedTool, *, is_gone: bool) -> ToolResult:
    what = "its server has it no more" if is_gone else "its server changed it"
    text = (
        f"[{pin.name}: not allowed, {what} since the user enabled it. It did NOT run. Do without "
        f"it, or tell the user to run `mm mcp tools {server.name}`.]"
    )
    return ToolResult(text=text, ok=False, ran=False)


def end_servers(stash: dict[str, object]) -> Awaitable[None] | None:
    """Return what ends all servers of a session, None when it never called one."""
    running = stash.get(STASH)
    return _close([*running.values()]) if isinstance(running, dict) else None


async def _close(connections: list[Connection]) -> None:
    import asyncio

    await asyncio.gather(*(connection.aclose() for connection in connections))


def _plain(arguments: Arguments) -> str:
    """Return the arguments as rules of permission see them."""
    return json.dumps(arguments, ensure_ascii=False, sort_keys=True)


def _title(name: str, arguments: Arguments) -> str:
    shown = ", ".join(f"{key}={value!r}" for key, value in arguments.items())
    return f"{name}: {shown if len(shown) <= 100 else f'{shown[:96]} ...'}"
