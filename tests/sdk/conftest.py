"""Agents of the client library that talk to a fake one."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest

import minime
from minime_core.testing.fault_server import FaultServer
from real_agent import RealAgent, real_agent

T = TypeVar("T")

FAKE = [sys.executable, "-S", "-E", str(Path(__file__).parent / "fake_agent.py")]
HANG = 60.0
"""Seconds after which a test is stuck."""

Start = Callable[..., minime.starting.Starting]


@pytest.fixture
def fake() -> list[str]:
    """The command that starts the fake agent."""
    return FAKE


@pytest.fixture
def start(tmp_path: Path) -> Start:
    """Starts a fake agent; takes what `minime.start` takes."""

    def start(**options: Any) -> minime.starting.Starting:
        return minime.start(**{"mm": FAKE, "cwd": tmp_path, **options})

    return start


@pytest.fixture
def run() -> Callable[[Coroutine[Any, Any, T]], T]:
    """Runs a coroutine to its end."""

    def run(work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run(asyncio.wait_for(work, HANG))

    return run


@pytest.fixture
def real(tmp_path: Path) -> Iterator[RealAgent]:
    """The real agent, and the server of its model."""
    with FaultServer() as server, real_agent(tmp_path, server) as agent:
        yield agent
