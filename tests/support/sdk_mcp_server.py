"""An MCP server of the SDK, over stdio, or over HTTP when a port is given."""

from __future__ import annotations

import os
import sys
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver import Context, Image
from mcp.server.mcpserver.exceptions import ToolError

server = MCPServer("notes")


@server.tool()
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@server.tool()
def fail(why: str) -> str:
    """Fail."""
    raise ToolError(why)


@server.tool()
async def slowly(steps: int, context: Context[Any, Any]) -> str:
    """Say how far it is."""
    for step in range(steps):
        await context.report_progress(step, steps, f"step {step}")
    return "done"


@server.tool()
def picture() -> Image:
    """Return a picture."""
    return Image(data=b"PNG", format="png")


@server.tool()
def environment(name: str) -> str:
    """Return a variable."""
    return os.environ.get(name, "unset")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        server.run("streamable-http", port=int(sys.argv[1]))
    else:
        server.run()
