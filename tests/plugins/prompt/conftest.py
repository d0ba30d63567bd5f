"""A session with the plugins that make up the fixed prompt, talking to the fault server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from minime_core.assembly import Options, open_session
from minime_core.config import Config, Layer
from minime_core.events import Event, Notice
from minime_core.plugins import PluginHost, PluginInfo
from minime_core.testing.fault_server import FaultServer
from minime_core.testing.replies import text

PLUGINS = ("builtin_tools", "guards", "prompt", "providers", "skills", "tool_formats")


class Sent:
    """What one session sent for its questions."""

    def __init__(self, server: FaultServer, events: list[Event]) -> None:
        self.bodies: list[dict[str, Any]] = [request.json for request in server.chat_requests]
        self.notices = [event.text for event in events if isinstance(event, Notice)]

    @property
    def body(self) -> dict[str, Any]:
        return self.bodies[0]

    @property
    def system(self) -> str:
        return str(self.body["messages"][0]["content"])

    @property
    def tools(self) -> str:
        """The tools, as JSON without spaces."""
        return json.dumps(self.body["tools"], ensure_ascii=False, separators=(",", ":"))


def _send(cwd: Path, *questions: str, plugins: tuple[str, ...] = PLUGINS, **values: Any) -> Sent:
    """Ask `questions` in a session in `cwd`, and return what the server was sent."""
    n_ctx = values.pop("n_ctx", 8192)
    with FaultServer(model=values.pop("served", "qwen3-8b"), n_ctx=n_ctx) as server:
        server.respond = text("Hello.")
        settings = {"provider": "llamacpp", "base_url": server.base_url, **values}
        return Sent(server, asyncio.run(_ask(cwd, settings, plugins, questions or ("hi",))))


async def _ask(
    cwd: Path, settings: dict[str, Any], plugins: tuple[str, ...], questions: tuple[str, ...]
) -> list[Event]:
    infos = [PluginInfo(name=name, module=f"minime_{name}") for name in plugins]
    host = PluginHost(infos, warn=pytest.fail)
    host.load()
    # The profiles have sections of plugins, whether or not these are loaded.
    config = Config([Layer("test", settings)], {*PLUGINS, *plugins})
    options = Options(cwd=cwd, flags={}, is_stored=False)
    session = await open_session(options, host, config)
    seen: list[Event] = []
    try:
        for question in questions:
            async with session.run(question) as events:
                seen += [event async for event in events]
    finally:
        await session.aclose()
    return seen


@pytest.fixture
def send() -> Callable[..., Sent]:
    return _send


@pytest.fixture
def project(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with nothing in it."""
    project = tmp_path / "project"
    project.mkdir()
    monkeypatch.chdir(project)
    return project
