"""A tool of the Model Context Protocol that echoes, over standard input and output.

Run as a program it is the server.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from mcp import Client, StdioServerParameters
from mcp.server import MCPServer

server = MCPServer("echo", log_level="ERROR")


@server.tool()
def echo(text: str) -> str:
    """Return the text."""
    return text


@asynccontextmanager
async def connected() -> AsyncIterator[Callable[[str], Awaitable[None]]]:
    """Give a function that calls the tool of a started server."""
    async with Client(StdioServerParameters(command=sys.executable, args=[__file__])) as client:

        async def call(text: str) -> None:
            result = await client.call_tool("echo", {"text": text})
            assert not result.is_error

        yield call


if __name__ == "__main__":
    server.run("stdio")
