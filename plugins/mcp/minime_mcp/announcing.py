"""Tell the user of servers whose tools are not used."""

from __future__ import annotations

from minime_core.session import Session
from minime_mcp.mcp_tools import MISSING, has_sdk
from minime_mcp.pins import Pins
from minime_mcp.servers import servers


def announce(session: Session) -> None:
    """Name the servers that give no tools, and what would change it."""
    named = servers(session.config)
    if named and not has_sdk():
        session.notice(f"MCP servers are not used: {MISSING}")
        return
    pins = Pins()
    if idle := [server.name for server in named.values() if not pins.of(server)]:
        session.notice(
            f"MCP servers without an enabled tool: {', '.join(idle)} (`/mcp tools NAME` shows "
            "what they have, `/mcp enable NAME TOOL` adds one)"
        )
