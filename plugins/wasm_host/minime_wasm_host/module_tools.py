"""The tools of trusted modules, as the model calls them."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from minime_core.config import Config
from minime_core.tools import Arguments, Kind, Tool, ToolContext, ToolResult
from minime_wasm_host.approval import Approval, ApprovedTool
from minime_wasm_host.places import Module
from minime_wasm_host.settings import WasmSettings
from minime_wasm_host.store import Store
from minime_wasm_host.survey import Found, survey

if TYPE_CHECKING:
    from minime_wasm_host.calling import Caller

STASH = "wasm_host"
"""Where the modules that run are kept in the stash of a session's tools."""


def found_modules(config: Config, cwd: Path) -> list[Found]:
    """Return all modules that a session in `cwd` finds."""
    return survey(config.section("wasm_host", WasmSettings), cwd, Store())


def module_tools(config: Config, cwd: Path) -> Iterator[Tool]:
    """Yield the tools of the modules that are trusted and enabled. Starts and reads nothing."""
    idle = config.section("wasm_host", WasmSettings).idle
    names: set[str] = set()
    for found in found_modules(config, cwd):
        if found.is_active and found.approval is not None:
            for tool in tools_of(found.module, found.approval, idle):
                # Two sidecars may give the same name; the first one has it.
                if tool.name not in names:
                    names.add(tool.name)
                    yield tool


def tools_of(module: Module, approval: Approval, idle: float) -> Iterator[Tool]:
    """Yield the tools of one module.

    idle: seconds without a call after which its worker is ended.
    """
    effects = approval.grants.effects
    kind: Kind = "fetch" if "network" in effects else "read" if "read" in effects else "other"
    for tool in approval.tools:
        yield Tool(
            name=tool.name,
            description=tool.description,
            schema=tool.schema,
            run=partial(_run, module, approval, tool, idle),
            effects=effects,
            kind=kind,
            title=partial(_title, tool.name),
            subject=_plain,
        )


async def _run(
    module: Module,
    approval: Approval,
    tool: ApprovedTool,
    idle: float,
    arguments: Arguments,
    context: ToolContext,
) -> ToolResult:
    running: dict[str, Caller] = context.stash.setdefault(STASH, {})
    caller = running.get(module.key)
    if caller is None:
        from minime_wasm_host.calling import Caller

        caller = running[module.key] = Caller(module, approval, idle=idle)
    return await caller.call(tool, arguments, context)


def end_workers(stash: dict[str, object]) -> Awaitable[None] | None:
    """Return what ends all workers of a session, None when it never called a module."""
    running = stash.get(STASH)
    if not isinstance(running, dict):
        return None
    return _close([caller.sandbox.close for caller in running.values()])


async def _close(closings: list[Callable[[], Awaitable[None]]]) -> None:
    for close in closings:
        await close()


def _plain(arguments: Arguments) -> str:
    """Return the arguments as rules of permission see them."""
    return json.dumps(arguments, ensure_ascii=False, sort_keys=True)


def _title(name: str, arguments: Arguments) -> str:
    shown = ", ".join(f"{key}={value!r}" for key, value in arguments.items())
    return f"{name}: {shown if len(shown) <= 100 else f'{shown[:96]} ...'}"
