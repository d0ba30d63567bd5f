"""Calls built-in tools as a session does: arguments checked, then run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

from minime_builtin_tools import mm_register_tools
from minime_core.config import Config, Layer
from minime_core.records import Undo
from minime_core.tools import Tool, ToolContext, ToolResult

T = TypeVar("T")


def registered(*, window: int | None = None, **values: Any) -> dict[str, Tool]:
    """Return the tools by name.

    values: settings of the core; `builtin_tools` holds those of the plugin.
    """
    config = Config([Layer("test", values)], ["builtin_tools"])
    return {tool.name: tool for tool in mm_register_tools(config, window)}


class Caller:
    """The tools of one session.

    undos: what was remembered before each write.
    shown: what was shown while calls ran.
    """

    def __init__(self, folder: Path, *, max_output: int = 16_000) -> None:
        self.folder = folder
        self.undos: list[Undo] = []
        self.shown: list[str] = []
        self.stash: dict[str, Any] = {}
        self.configure()
        self.max_output = max_output
        self.emit: Callable[[str], None] = self.shown.append

    def configure(self, **settings: Any) -> None:
        """Register the tools anew, with settings of the plugin and of the core's keys."""
        plugin = {"plan": True, **settings.pop("builtin_tools", {})}
        self.tools = registered(builtin_tools=plugin, **settings)

    @property
    def context(self) -> ToolContext:
        return ToolContext(
            cwd=self.folder,
            max_output=self.max_output,
            emit=self.emit,
            remember=self.undos.append,
            stash=self.stash,
        )

    async def run(self, name: str, **arguments: Any) -> ToolResult:
        """Call a tool from a test that has a loop."""
        tool = self.tools[name]
        faults = tool.faults(arguments)
        assert not faults, faults
        result = await tool.run(arguments, self.context)
        assert len(result.text) <= self.max_output
        return result

    def __call__(self, name: str, **arguments: Any) -> ToolResult:
        return self.wait(self.run(name, **arguments))

    def wait(self, coroutine: Coroutine[Any, Any, T]) -> T:
        return asyncio.run(coroutine)

    def end(self) -> list[str]:
        """End the session; return what is said to be left running."""
        said: list[str] = []
        if "shells" in self.stash:
            from minime_builtin_tools.shell.background import end_jobs

            self.wait(end_jobs(self.stash.pop("shells"), said.append))
        return said

    def put(self, name: str, content: str | bytes) -> Path:
        """Write a file as somebody else does."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path
