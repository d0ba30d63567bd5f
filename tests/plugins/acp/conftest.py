"""An agent in this process, its client, and its model server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Coroutine, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest

from acp_client import Client, connected
from minime_core.assembly import Options
from minime_core.testing.fault_server import FaultServer

T = TypeVar("T")

HANG = 60.0
"""Seconds after which a test is stuck."""

Connect = Callable[..., AbstractAsyncContextManager[Client]]


@pytest.fixture
def cwd(tmp_path: Path) -> Path:
    """A project that keeps its sessions itself."""
    (tmp_path / "project/.mm").mkdir(parents=True)
    return tmp_path / "project"


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer() as server:
        yield server
        assert server.problems == []


@pytest.fixture
def connect(home: Path, cwd: Path, server: FaultServer) -> Connect:
    """Connects a client to an agent of its own; takes capabilities and more flags."""

    @asynccontextmanager
    async def connect(
        capabilities: Any = None,
        config_file: Path | None = None,
        no_plugins: Collection[str] = (),
        **flags: Any,
    ) -> AsyncIterator[Client]:
        flags = {"provider": "llamacpp", "model": "m", "base_url": server.base_url, **flags}
        options = Options(
            cwd=Path("/"), flags=flags, config_file=config_file, no_plugins=no_plugins
        )
        async with connected(options, cwd) as client:
            asked = {"protocolVersion": 1, "clientCapabilities": capabilities or {}}
            client.agent = await client.ask("initialize", **asked)
            yield client

    return connect


@pytest.fixture
def run() -> Callable[[Coroutine[Any, Any, T]], T]:
    """Runs a coroutine to its end."""

    def run(work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run(asyncio.wait_for(work, HANG))

    return run
