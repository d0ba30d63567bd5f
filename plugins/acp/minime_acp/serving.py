"""Serve one client over two file descriptors, until it leaves."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from minime_acp.agent import Agent
from minime_acp.client import Client
from minime_acp.jsonrpc import Endpoint
from minime_acp.lines import Lines
from minime_core.assembly import Options


async def serve(
    options: Options,
    source: int,
    sink: int,
    *,
    at_end: Callable[[], object] = lambda: None,
    stop: asyncio.Event | None = None,
) -> None:
    """Answer what comes from `source` on `sink`, both file descriptors, which are closed then.

    at_end: called in another thread as soon as the input ends, before anything is cleaned up.
    stop: ends it as the end of the input does.
    """
    lines = Lines(source, sink, at_end)
    agent = Agent(options)
    endpoint = Endpoint(lines, agent.handle)
    agent.client = Client(endpoint)
    serving = asyncio.ensure_future(endpoint.run())
    stopping = asyncio.ensure_future((stop or asyncio.Event()).wait())
    try:
        await asyncio.wait([serving, stopping], return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in (serving, stopping):
            task.cancel()
        await asyncio.wait([serving, stopping])
        await endpoint.aclose()
        await agent.aclose()
        await lines.aclose()
