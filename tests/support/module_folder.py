"""A home with a project, modules in its folders, and sessions' tools that call them."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable
from pathlib import Path
from typing import Any, TypeVar

import yaml

from minime_core.config import Config, Layer
from minime_core.plugins import PluginHost
from minime_core.tools import Tool, ToolContext, ToolResult
from minime_wasm_host import module_tools
from minime_wasm_host.describing import Description
from minime_wasm_host.places import Module
from minime_wasm_host.store import Store
from minime_wasm_host.survey import Found
from minime_wasm_host.trusting import described, look_at

T = TypeVar("T")


class Home:
    """The user's home, with one project that they work in.

    shown: what calls showed to the user while they ran.
    """

    def __init__(self, folder: Path, *, is_new: bool = True) -> None:
        self.folder = folder
        self.project = folder / "project"
        self.tools = self.project / ".mm" / "tools"
        if is_new:
            self.tools.mkdir(parents=True)
        self.settings: dict[str, Any] = {}
        self.shown: list[str] = []
        self.stash: dict[str, Any] = {}
        self._runner = asyncio.Runner()
        self._others = workers()

    def put(self, name: str, data: bytes, sidecar: Any = None) -> Path:
        """Write a module into the project's folder."""
        path = self.tools / f"{name}.wasm"
        path.write_bytes(data)
        if sidecar is not None:
            path.with_suffix(".yaml").write_text(yaml.safe_dump(sidecar))
        return path

    def add(self, name: str, data: bytes, sidecar: Any = None) -> Description:
        """Write a module and trust it. Raises Refused."""
        self.put(name, data, sidecar)
        return self.trust(name)

    def trust(self, name: str) -> Description:
        module = Module(name=name, path=self.tools / f"{name}.wasm", origin="project")
        approval, description = self.run(described(look_at(module), self.shown.append))
        Store().approve(module, approval)
        return description

    @property
    def config(self) -> Config:
        return Config([Layer("test", {"wasm_host": self.settings})], {"wasm_host"})

    def found(self) -> dict[str, Found]:
        """Return the modules that are not shipped, by name."""
        all_found = module_tools.found_modules(self.config, self.project)
        return {f.module.name: f for f in all_found if f.module.origin != "shipped"}

    def offered(self) -> dict[str, Tool]:
        """Return the tools that a session has."""
        host = PluginHost()
        host.register(__import__("minime_wasm_host"), "wasm_host")
        tools = host.collect(
            "mm_register_tools",
            Tool,
            config=self.config,
            window=None,
            cwd=self.project,
            skill_folders=[],
        )
        return {tool.name: tool for _, tool in tools}

    def call(self, name: str, /, **arguments: Any) -> ToolResult:
        """Call a tool as a session does."""
        return self.run(self.calling(name, **arguments))

    async def calling(self, name: str, /, **arguments: Any) -> ToolResult:
        return await self.offered()[name].run(arguments, self.context)

    @property
    def context(self) -> ToolContext:
        return ToolContext(
            cwd=self.project, max_output=16_000, emit=self.shown.append, stash=self.stash
        )

    def run(self, coroutine: Awaitable[T]) -> T:
        async def wait() -> T:
            return await coroutine

        return self._runner.run(wait())

    def pid(self, name: str) -> int | None:
        """Return the process of a module's worker, None when it has none."""
        caller = self.stash.get(module_tools.STASH, {}).get(str(self.tools / f"{name}.wasm"))
        return caller.sandbox.pid if caller else None

    def end(self) -> None:
        """End the session as `mm` does."""
        if (ending := module_tools.end_workers(self.stash)) is not None:

            async def end() -> None:
                await ending

            self.run(end())

    def close(self) -> None:
        """End the session, and make sure that it leaves no process."""
        self.end()
        self._runner.close()
        assert workers() <= self._others, "workers are left"


def workers() -> set[int]:
    """Return the workers that this process started and that have not ended."""
    found = set()
    for entry in Path("/proc").iterdir() if Path("/proc/self").exists() else ():
        try:
            command = (entry / "cmdline").read_bytes()
            parent = (entry / "stat").read_text().rpartition(")")[2].split()[1]
        except (OSError, IndexError):
            continue
        if b"minime_wasm_host.worker" in command and int(parent) == os.getpid():
            found.add(int(entry.name))
    return found
