"""WASM modules as tools, each in a process of its own that may do nothing but compute."""

from __future__ import annotations

from collections.abc import Awaitable, Iterator
from typing import TYPE_CHECKING

from minime_core import hookimpl

if TYPE_CHECKING:
    from pathlib import Path

    import click

    from minime_core.cli.finding import Finding
    from minime_core.config import Config
    from minime_core.session import Session
    from minime_core.tools import Tool


@hookimpl
def mm_config_model() -> str:
    return "minime_wasm_host.settings:WasmSettings"


@hookimpl
def mm_register_tools(config: Config, cwd: Path) -> Iterator[Tool]:
    from minime_wasm_host.module_tools import module_tools

    return module_tools(config, cwd)


@hookimpl
def mm_register_commands(cli: click.Group) -> None:
    from minime_wasm_host.commands import tools

    cli.add_command(tools)


@hookimpl
def mm_findings(config: Config, cwd: Path) -> Iterator[Finding]:
    from minime_wasm_host.commands.listing import findings

    return findings(config, cwd)


@hookimpl
def mm_session_start(session: Session) -> None:
    from minime_wasm_host.announcing import announce

    announce(session)


@hookimpl
def mm_session_end(session: Session) -> Awaitable[None] | None:
    from minime_wasm_host.module_tools import end_workers

    return end_workers(session.tool_context().stash)
