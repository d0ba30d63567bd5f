"""A session in process, with all guards, whose server follows a script of faults."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from contextlib import aclosing
from pathlib import Path
from typing import Any

from minime_core.assembly import Options, open_session
from minime_core.config import Config, Layer
from minime_core.events import Event, TurnDone
from minime_core.plugins import PluginHost, discover
from minime_core.session import Session
from minime_core.testing import FaultServer
from minime_core.tools import Arguments, Tool, ToolContext, ToolResult

PLUGINS = ("providers", "guards", "tool_formats", "context", "prompt")
LONGEST_TURN = 60.0
"""Seconds after which a turn is taken for one that never ends."""
SCHEMA = {
    "type": "object",
    "properties": {"command": {"type": "string"}},
    "required": ["command"],
    "additionalProperties": False,
}


class FaultySession:
    """A session, and what its one tool was called with.

    guards: settings of the guards.

    ran: how often each command ran.
    """

    def __init__(self, cwd: Path, server: FaultServer, guards: Mapping[str, Any]) -> None:
        self.ran: Counter[str] = Counter()
        self.warnings: list[str] = []
        self._cwd = cwd
        self._settings = {
            "provider": "llamacpp",
            "base_url": server.base_url,
            "model": "m",
            "policy": "yolo",
            "max_turns": 6,
            "guards": dict(guards),
        }
        self._runner = asyncio.Runner()
        self.session: Session = self._runner.run(self._open())

    async def _open(self, resume: str | None = None) -> Session:
        infos = [info for info in discover() if info.name in PLUGINS]
        host = PluginHost(infos, self.warnings.append)
        host.load()
        config = Config([Layer("test", self._settings)], {info.name for info in infos})
        options = Options(cwd=self._cwd, flags={}, resume=resume)
        tool = Tool(
            name="bash", description="Runs.", schema=SCHEMA, run=self._run, effects=frozenset()
        )
        return await open_session(options, host, config, self.warnings.append, tools=[tool])

    async def _run(self, arguments: Arguments, context: ToolContext) -> ToolResult:
        command = str(arguments["command"])
        self.ran[command] += 1
        return ToolResult(text=f"ran {command}")

    def ask(self, leave_after: int | None = None) -> list[Event]:
        """Ask a question and return what happens.

        leave_after: the number of events after which the user goes away.

        Raises TimeoutError for a turn that never ends.
        """
        return self._runner.run(self._ask(leave_after))

    async def _ask(self, leave_after: int | None) -> list[Event]:
        seen: list[Event] = []
        async with asyncio.timeout(LONGEST_TURN):
            async with self.session.run("Do it.") as events, aclosing(events):
                async for event in events:
                    seen.append(event)
                    if len(seen) == leave_after:
                        return seen
        assert isinstance(seen[-1], TurnDone)
        return seen

    def resume(self) -> None:
        """End the session and open it again from its file."""
        self._runner.run(self.session.aclose())
        self.session = self._runner.run(self._open(resume=""))

    def close(self) -> None:
        """End the session."""
        self._runner.run(self.session.aclose())
        self._runner.close()
