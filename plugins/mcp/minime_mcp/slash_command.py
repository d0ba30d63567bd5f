"""`/mcp` in a conversation: for servers that an editor hands over, no other place knows them."""

from __future__ import annotations

import shlex

from minime_core.errors import UserError
from minime_core.frontends import SlashCommand
from minime_core.session import Session
from minime_mcp.pins import Pins
from minime_mcp.servers import servers
from minime_mcp.survey import disable, enable, enabled_lines, look_at, rows

USAGE = "`/mcp`, `/mcp tools SERVER`, `/mcp enable SERVER TOOL`, or `/mcp disable SERVER TOOL`"
_LATER = "from the next conversation on"


def mcp_command() -> SlashCommand:
    """Return the command."""
    return SlashCommand(name="mcp", summary="MCP servers and their tools", run=_run)


async def _run(session: Session, rest: str) -> str:
    try:
        words = shlex.split(rest)
    except ValueError as error:
        raise UserError(f"a quote is open; use {USAGE}") from error
    match words:
        case []:
            pins = Pins()
            return "\n".join(
                f"{server.name}: {', '.join(pins.of(server)) or 'no tool is enabled'}"
                for server in servers(session.config).values()
            )
        case ["tools", server]:
            return "\n".join(rows(await look_at(session.config, server)))
        case ["enable", server, *names] if names:
            return "\n".join([*enabled_lines(await enable(session.config, server, names)), _LATER])
        case ["disable", server, *names] if names:
            disable(session.config, server, names)
            return f"off {_LATER}: {', '.join(names)}"
        case _:
            raise UserError(f"use {USAGE}")
