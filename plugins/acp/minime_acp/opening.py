"""Open the session behind a conversation."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from acp import RequestError
from acp.schema import HttpMcpServer, McpServerStdio, SseMcpServer
from pydantic import BaseModel

from minime_acp.ask_user import ask_user_tool
from minime_acp.client import Client
from minime_acp.client_tools import client_tools
from minime_acp.jsonrpc import INVALID_PARAMS
from minime_acp.settings import AcpSettings
from minime_core.assembly import Options, connect, open_session
from minime_core.cli.loading import load_host
from minime_core.cli.say import say
from minime_core.config import Config, Layer
from minime_core.errors import MinimeError
from minime_core.models import takes_images
from minime_core.plugins import PluginHost
from minime_core.session import Session
from minime_core.tools import Tool

PATIENCE = 2.0
"""Seconds to find out what the model can do before the editor is answered."""
MCP = "mcp"
"""The plugin that connects to MCP servers: it finds the client's ones in its own settings."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A session, and what it was opened with."""

    session: Session
    host: PluginHost
    config: Config


@dataclass(frozen=True, slots=True)
class Abilities:
    """What an editor is told of once, before there is a session.

    images: whether the model takes pictures; False when unknown: a server that is down sees none.
    mcp: whether MCP servers can be handed over.
    """

    images: bool = False
    mcp: bool = False


async def abilities(options: Options) -> Abilities:
    """Return what sessions with these options can do."""
    try:
        host, config = load_host(options, say)
    except MinimeError:
        return Abilities()
    return Abilities(images=await _sees_images(options, host, config), mcp=uses_mcp(host))


async def _sees_images(options: Options, host: PluginHost, config: Config) -> bool:
    if config.settings.images != "auto":
        return config.settings.images == "on"
    try:
        async with asyncio.timeout(PATIENCE), AsyncExitStack() as undo:
            model = await connect(undo, options, host, config, say)
            return takes_images(model.config.settings, model.info)
    except (MinimeError, TimeoutError):
        return False


async def open_for(
    session_id: str,
    options: Options,
    client: Client,
    servers: Sequence[BaseModel],
    call_id: Callable[[], str],
) -> Opened:
    """Open the session of a conversation with plugins and settings of its own.

    servers: the MCP servers that the client wants the agent to use.
    call_id: returns the id of the call that runs.

    Raises MinimeError, and RequestError for MCP servers that cannot be used.
    """
    host, config = load_host(options, say)
    settings = config.section("acp", AcpSettings)
    config = _with_servers(config, host, servers, settings)
    tools: list[Tool] = []
    if client.features.has_forms:
        tools.append(ask_user_tool(client, session_id, call_id))
    if settings.client_tools.get("enabled", True) is not False:
        offered = await client.listed_tools(session_id)
        tools += client_tools(offered, client, session_id, call_id)
    session = await open_session(options, host, config, say, tools=tools)
    return Opened(session, host, config)


def uses_mcp(host: PluginHost) -> bool:
    """Return whether there is something that connects to MCP servers."""
    is_loaded = any(info.name == MCP and info.state == "loaded" for info in host.infos)
    return is_loaded and find_spec(MCP) is not None


def _with_servers(
    config: Config, host: PluginHost, servers: Iterable[BaseModel], settings: AcpSettings
) -> Config:
    described = dict(_server(server) for server in servers)
    if not described:
        return config
    if uses_mcp(host):
        layer = Layer("session/new", {MCP: {"servers": described}})
        return Config((*config.layers, layer), config.sections)
    why = (
        f"MCP servers ({', '.join(described)}) need the plugin `mcp` and its package: "
        "pip install 'mini-me[mcp]'"
    )
    if settings.mcp_servers == "refuse":
        raise RequestError(
            INVALID_PARAMS, f"{why}; with `acp: {{mcpServers: ignore}}` mm goes on without them"
        )
    say(f"{why}: ignored")
    return config


def _server(server: BaseModel) -> tuple[str, Mapping[str, Any]]:
    """Return the name of an MCP server, and its settings."""
    match server:
        case McpServerStdio():
            environment = {variable.name: _literal(variable.value) for variable in server.env}
            command = {"command": server.command, "args": [*server.args], "env": environment}
            return server.name, command
        case HttpMcpServer() | SseMcpServer():
            headers = {header.name: _literal(header.value) for header in server.headers}
            return server.name, {"type": server.type, "url": str(server.url), "headers": headers}
        case _:
            name = getattr(server, "name", "unknown")
            raise RequestError(INVALID_PARAMS, f"MCP server {name}: its kind is not known here")


def _literal(value: str) -> str:
    """Return a value as settings have it, where `$` stands before the name of a variable."""
    return value.replace("$", "$$")
