"""`mm tools list` and `mm tools show`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from minime_core.cli.finding import Finding
from minime_core.cli.group import Invocation
from minime_core.cli.json_output import json_option, print_json
from minime_core.config import Config
from minime_core.tools import Tool
from minime_shared.cleaning import clean, one_line
from minime_shared.cost import cost
from minime_wasm_host.approval import Approval
from minime_wasm_host.commands.modules import MODULE, all_modules, pick
from minime_wasm_host.grants import Grants
from minime_wasm_host.limits import UNENFORCED
from minime_wasm_host.module_tools import found_modules, tools_of
from minime_wasm_host.places import Module
from minime_wasm_host.refusal import Refused
from minime_wasm_host.survey import Found
from minime_wasm_host.trusting import look_at


@click.command("list")
@json_option
@click.pass_obj
def list_tools(invocation: Invocation, as_json: bool) -> None:
    """List the tools that the model has here, with their cost in characters, and all modules."""
    host, config = invocation.load()
    offered = host.collect(
        "mm_register_tools",
        Tool,
        config=config,
        window=config.settings.context_window or None,
        cwd=invocation.options.cwd,
        skill_folders=[folder for _, folder in host.collect("mm_register_skills", Path)],
    )
    tools = [{"name": tool.name, "plugin": owner, "cost": cost(tool)} for owner, tool in offered]
    modules = [_row(found) for found in all_modules(invocation)]
    if as_json:
        print_json({"tools": tools, "modules": modules})
        return
    for row in sorted(tools, key=lambda row: str(row["name"])):
        click.echo(f"{row['name']:<36} {row['cost']:>6}  {row['plugin']}")
    total = sum(row["cost"] for row in tools)
    click.echo(f"{'characters in each request':<36} {total:>6}")
    if modules:
        click.echo("\nWASM modules")
    for row in modules:
        line = f"{row['name']:<20} {row['origin']:<8} {row['state']:<10} {_about(row)}"
        click.echo(line.rstrip())


def findings(config: Config, cwd: Path) -> Iterator[Finding]:
    """Yield which modules cannot be used, or are not trusted, and how many can."""
    on = 0
    for found in found_modules(config, cwd):
        state, why = _state(found)
        name = one_line(found.module.name, 60)
        if state == "unusable":
            cure = f"mend or remove {clean(str(found.module.path))}"
            yield Finding("wasm tools", "warn", f"{name} cannot be used: {why}", cure)
        elif found.is_enabled and found.approval is None:
            cure = f"`mm tools show {name}`, then `mm tools trust {name}` or `disable`"
            yield Finding("wasm tools", "warn", f"{name} is {state}: not offered", cure)
        on += state == "on"
    yield Finding("wasm tools", "ok", f"{on} modules are on")


def _about(row: dict[str, Any]) -> str:
    if row["why"]:
        return str(row["why"])
    if not row["tools"]:
        return ""
    count = len(row["tools"])
    return f"{count} tool{'s' if count > 1 else ''}, {row['cost']} characters"


def _row(found: Found) -> dict[str, Any]:
    tools = list(tools_of(found.module, found.approval, 0)) if found.approval else []
    state, why = _state(found)
    return {
        "name": one_line(found.module.name, 60),
        "origin": found.module.origin,
        "path": clean(str(found.module.path)),
        "state": state,
        "why": why,
        "tools": [tool.name for tool in tools],
        "cost": sum(map(cost, tools)),
    }


def _state(found: Found) -> tuple[str, str]:
    """Return how it stands with a module in a word, and what that word leaves open."""
    if found.approval is not None:
        why = f"{found.hidden_by} has that name too" if found.hidden_by else ""
        return ("on" if found.is_enabled else "off"), why
    try:
        look_at(found.module)
    except Refused as refused:
        return "unusable", one_line(str(refused), 200)
    return found.state, "" if found.is_enabled else "disabled"


@click.command()
@click.argument("name", shell_complete=MODULE)
@json_option
@click.pass_obj
def show(invocation: Invocation, name: str, as_json: bool) -> None:
    """Show what the WASM module NAME may do, its limits and its tools.

    NAME is that of a module, or the path of its file.
    """
    found = pick(invocation, name)
    if as_json:
        print_json(_details(found))
        return
    state, why = _state(found)
    click.echo(f"{found.module.name}: {state}{f', {why}' if why else ''}")
    if state == "unusable":
        return
    if found.approval is None:
        candidate = look_at(found.module)
        show_permissions(found.module, candidate.approval, wants_network=candidate.wants_network)
        click.echo(f"`mm tools trust {found.module.name}` asks it for its tools")
        return
    show_permissions(found.module, found.approval)
    show_tools(found.module, found.approval)


def _details(found: Found) -> dict[str, Any]:
    """Return all that is known of a module."""
    row = _row(found)
    if row["state"] == "unusable":
        return row
    approval = found.approval or look_at(found.module).approval
    tools = tools_of(found.module, approval, 0) if found.approval else ()
    return {
        **row,
        "sha256": approval.module.sha256,
        "contract": approval.contract,
        "wasi": approval.wasi,
        "may": permissions(approval.grants),
        "limits": asdict(approval.limits),
        "tools": [
            {"name": tool.name, "description": tool.description, "schema": tool.schema}
            for tool in tools
        ],
    }


def show_permissions(module: Module, approval: Approval, *, wants_network: bool = False) -> None:
    """Print what a module is and what it may do."""
    grants, limits = approval.grants, approval.limits
    size = f"{approval.module.size / 1024:.1f} KB"
    click.echo(f"  file        {clean(str(module.path))} ({size}, sha256 {approval.module.sha256})")
    if (real := module.path.resolve()) != module.path:
        click.echo(f"  in truth    {clean(str(real))}")
    click.echo(f"  sidecar     {'none' if approval.sidecar is None else module.sidecar.name}")
    click.echo(f"  contract    {approval.contract}{', with WASI' if approval.wasi else ''}")
    for line in permissions(grants):
        click.echo(f"  may         {one_line(line, 300)}")
    if wants_network and not grants.hosts:
        click.echo("  may not     send requests, though it can: no hosts in a sidecar")
    click.echo(
        f"  limits      {limits.timeout_ms / 1000:g} s a call, {limits.memory_mb} MB, "
        f"{limits.output_kb} KB of output"
    )
    for name in UNENFORCED.get(sys.platform, ()):
        click.echo(f"  note        this system does not enforce limits.{name}")


def permissions(grants: Grants) -> list[str]:
    """Return in words what the grants allow."""
    lines = []
    if grants.hosts:
        lines.append(f"send requests to {', '.join(grants.hosts)}")
    for folder in grants.folders:
        verb = "read and WRITE" if folder.mode == "rw" else "read"
        lines.append(f"{verb} {folder.host}, as {folder.guest}")
    if grants.config:
        lines.append(f"know {', '.join(f'{key}={value}' for key, value in grants.config.items())}")
    for name, variable in grants.secrets.items():
        lines.append(f"know the secret {name}, from the variable {variable}")
    if grants.secrets and any(host.startswith("*.") for host in grants.hosts):
        lines.append("send these secrets to each host that the `*` stands for")
    return lines or ["compute, and nothing else"]


def show_tools(module: Module, approval: Approval) -> None:
    """Print the tools as the model sees them."""
    for tool in tools_of(module, approval, 0):
        click.echo(f"  tool        {tool.name} ({cost(tool)} characters): {tool.description}")
        click.echo(f"              {tool.shape}")
