"""`mm tools trust` and `mm tools untrust`."""

from __future__ import annotations

import asyncio

import click

from minime_core.cli.group import Invocation
from minime_core.cli.say import say
from minime_core.errors import UserError
from minime_wasm_host.commands.listing import show_permissions, show_tools
from minime_wasm_host.commands.modules import MODULE, pick
from minime_wasm_host.store import Store
from minime_wasm_host.trusting import described, look_at


@click.command()
@click.argument("name", shell_complete=MODULE)
@click.option("--yes", is_flag=True, help="Trust it without a question.")
@click.pass_obj
def trust(invocation: Invocation, name: str, yes: bool) -> None:
    """Trust the module NAME and its sidecar as they are now.

    The module is run without any permission to describe its tools; these, and what the sidecar
    allows, are shown before you are asked. A change of either file withdraws trust.
    """
    found = pick(invocation, name)
    module = found.module
    if module.origin == "shipped":
        raise UserError(f"{module.name} is a part of Mini Me; `mm tools enable {module.name}`")
    candidate = look_at(module)
    click.echo(module.name)
    show_permissions(module, candidate.approval, wants_network=candidate.wants_network)
    approval, description = asyncio.run(described(candidate, say))
    show_tools(module, approval)
    for kind, wanted in description.wants.items():
        click.echo(f"  it asks for {kind}: {', '.join(wanted)} (granted by a sidecar alone)")
    for note in description.notes:
        click.echo(f"  note        {note}")
    if not yes and not _wanted(module.name):
        return
    # The same files that were shown: another one has another hash, and does not load.
    Store().approve(module, approval)
    click.echo(f"{module.name} is trusted as it is now")
    if not found.is_enabled:
        click.echo(f"It is disabled; `mm tools enable {module.name}`")


def _wanted(name: str) -> bool:
    try:
        is_wanted = click.confirm(f"Trust {name} as it is now?")
    except click.Abort:
        click.echo()
        say("it stays untrusted; where nobody can answer, `--yes` does")
        raise
    if not is_wanted:
        click.echo("It stays untrusted.")
    return is_wanted


@click.command()
@click.argument("name", shell_complete=MODULE)
@click.pass_obj
def untrust(invocation: Invocation, name: str) -> None:
    """Trust the module NAME no longer."""
    module = pick(invocation, name).module
    if module.origin == "shipped":
        raise UserError(f"{module.name} is a part of Mini Me; `mm tools disable {module.name}`")
    was_trusted = Store().forget(module)
    click.echo(f"{module.name} is no longer trusted" if was_trusted else "It was not trusted")
