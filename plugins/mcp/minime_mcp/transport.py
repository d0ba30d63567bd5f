"""A program that speaks MCP on its standard streams, none of which it may flood.

The transport of the SDK keeps a line of any length and prints what a server says on stderr.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client.stdio import get_default_environment
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

from minime_mcp.servers import Server

MAX_LINE = 16 << 20
"""Most bytes of one message."""
MAX_SAID = 2_000
"""Bytes that are kept of what a server said last on stderr."""
PATIENCE = 1.0
"""Seconds that a server has to end by itself, and then after SIGTERM."""

Streams = tuple[
    MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]
]


@asynccontextmanager
async def program(server: Server, said: Callable[[bytes], None]) -> AsyncIterator[Streams]:
    """Run a server in a session of its own; all its processes end with it.

    It gets a few variables such as PATH, and those that its setting `env` names, no keys.

    said: is given what comes on stderr. Raises OSError when it cannot be started.
    """
    process = await asyncio.create_subprocess_exec(
        server.command,
        *server.args,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=get_default_environment() | server.expanded(server.env),
        cwd=server.cwd or None,
        start_new_session=True,
        limit=MAX_LINE,
    )
    incoming, received = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    sent, outgoing = anyio.create_memory_object_stream[SessionMessage](0)
    tasks = [
        asyncio.create_task(_read(process, incoming)),
        asyncio.create_task(_write(process, outgoing)),
        asyncio.create_task(_listen(process, said)),
    ]
    try:
        yield received, sent
    finally:
        with anyio.CancelScope(shield=True):
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            for stream in (incoming, received, sent, outgoing):
                stream.close()
            await _end(process)


async def _read(
    process: asyncio.subprocess.Process,
    incoming: MemoryObjectSendStream[SessionMessage | Exception],
) -> None:
    assert process.stdout is not None
    with incoming, suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
        while line := await _line(process.stdout):
            if not line.strip().startswith(b"{"):
                continue  # What is no message was printed by mistake.
            try:
                message = jsonrpc_message_adapter.validate_json(line, by_name=False)
            except ValueError as error:
                await incoming.send(error)
                continue
            await incoming.send(SessionMessage(message))


async def _line(stream: asyncio.StreamReader) -> bytes:
    """Return the next line; nothing at the end, or when a line is too long to be a message."""
    try:
        return await stream.readline()
    except ValueError:
        return b""


async def _write(
    process: asyncio.subprocess.Process, outgoing: MemoryObjectReceiveStream[SessionMessage]
) -> None:
    assert process.stdin is not None
    with suppress(OSError):
        async for message in outgoing:
            text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
            process.stdin.write(text.encode() + b"\n")
            await process.stdin.drain()


async def _listen(process: asyncio.subprocess.Process, said: Callable[[bytes], None]) -> None:
    assert process.stderr is not None
    while data := await process.stderr.read(64 << 10):
        said(data)


async def _end(process: asyncio.subprocess.Process) -> None:
    """End a server and what it started: by its closed stdin, then by signals."""
    assert process.stdin is not None
    process.stdin.close()
    for number in (None, signal.SIGTERM, signal.SIGKILL):
        if number is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, number)
        with suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE):
                await process.wait()
                break
    with suppress(ProcessLookupError, PermissionError):
        # What it left behind in its session.
        os.killpg(process.pid, signal.SIGKILL)
    # A child that left the session may hold the pipes open, and nothing public closes them.
    process._transport.close()  # type: ignore[attr-defined]
