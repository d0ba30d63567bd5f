"""Settings of the ACP agent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from minime_core.settings import setting

ForeignServers = Literal["refuse", "ignore"]


@dataclass(frozen=True, kw_only=True)
class AcpSettings:
    """The section `acp`."""

    client_tools: dict[str, Any] = setting(
        help="tools of the client: `enabled: false` takes none; `discovery` needs no setting here",
        make=dict,
    )
    mcp_servers: ForeignServers = setting(
        "refuse", "what to do with MCP servers of a client where the plugin `mcp` cannot be used"
    )
