"""`mm tools enable` and `mm tools disable`."""

from __future__ import annotations

import click

from minime_core.cli.group import Invocation
from minime_shared.cost import cost
from minime_wasm_host.commands.modules import MODULE, pick
from minime_wasm_host.module_tools import tools_of
from minime_wasm_host.settings import WasmSettings
from minime_wasm_host.store import Store


@click.command()
@click.argument("name", shell_complete=MODULE)
@click.pass_obj
def enable(invocation: Invocation, name: str) -> None:
    """Offer the tools of the module NAME to the model."""
    found = pick(invocation, name)
    Store().switch(found.module, on=True)
    _, config = invocation.load()
    if found.module.name in config.section("wasm_host", WasmSettings).disabled:
        click.echo(f"{name} is on, but the setting wasm_host.disabled names it")
    elif found.approval is None:
        click.echo(f"{name} is on, and gives its tools once you trust it: mm tools trust {name}")
    else:
        tools = list(tools_of(found.module, found.approval, 0))
        costs = ", ".join(f"{tool.name} ({cost(tool)} characters)" for tool in tools)
        click.echo(f"{name} is on: {costs} in each request")


@click.command()
@click.argument("name", shell_complete=MODULE)
@click.pass_obj
def disable(invocation: Invocation, name: str) -> None:
    """Offer the tools of the module NAME no longer."""
    found = pick(invocation, name)
    Store().switch(found.module, on=False)
    _, config = invocation.load()
    if found.module.name in config.section("wasm_host", WasmSettings).enabled:
        click.echo(f"{name} is off, but the setting wasm_host.enabled names it")
    else:
        click.echo(f"{name} is off")
