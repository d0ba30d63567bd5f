"""The section `mcp` of the settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from minime_core.settings import Seconds, setting


@dataclass(frozen=True, kw_only=True)
class McpSettings:
    """Which servers there are, and how long they are waited for."""

    servers: dict[str, dict[str, Any]] = setting(
        help="MCP servers by name: `command`, `args`, `env`, `cwd`, or `url` and `headers`",
        make=dict,
    )
    start_timeout: Seconds = setting(
        Seconds(30), help="longest wait until a server is ready and has listed its tools", least=1
    )
    call_timeout: Seconds = setting(Seconds(120), help="longest call of a server's tool", least=1)
