"""Tools of MCP servers, each of which the user enabled by its name."""

from __future__ import annotations

from collections.abc import Awaitable, Iterable
from typing import TYPE_CHECKING

from minime_core import hookimpl

if TYPE_CHECKING:
    import click

    from minime_core.config import Config
    from minime_core.frontends import SlashCommand
    from minime_core.session import Session
    from minime_core.tools import Tool


@hookimpl
def mm_config_model() -> str:
    return "minime_mcp.settings:McpSettings"


@hookimpl
def mm_register_tools(config: Config) -> Iterable[Tool]:
    if not _has_servers(config):
        return ()
    from minime_mcp.mcp_tools import enabled_tools

    return enabled_tools(config)


@hookimpl
def mm_register_commands(cli: click.Group) -> None:
    from minime_mcp.commands import mcp

    cli.add_command(mcp)


@hookimpl
def mm_slash_commands(session: Session) -> Iterable[SlashCommand]:
    if not _has_servers(session.config):
        return ()
    from minime_mcp.slash_command import mcp_command

    return (mcp_command(),)


@hookimpl
def mm_session_start(session: Session) -> None:
    if _has_servers(session.config):
        from minime_mcp.announcing import announce

        announce(session)


@hookimpl
def mm_session_end(session: Session) -> Awaitable[None] | None:
    if not _has_servers(session.config):
        return None
    from minime_mcp.mcp_tools import end_servers

    return end_servers(session.tool_context().stash)


def _has_servers(config: Config) -> bool:
    """Return whether some place names servers: without them this plugin costs nothing."""
    return any("mcp" in layer.values for layer in config.layers)
