"""`mm tools`: what the model can call, and the modules that can be added to it."""

from __future__ import annotations

import click


@click.group()
def tools() -> None:
    """Show the tools, and trust, switch, try and write WASM modules."""


def _add_commands() -> None:
    from minime_wasm_host.commands.listing import list_tools, show
    from minime_wasm_host.commands.projects import new
    from minime_wasm_host.commands.switching import disable, enable
    from minime_wasm_host.commands.trial import test
    from minime_wasm_host.commands.trust import trust, untrust

    for command in (list_tools, show, trust, untrust, enable, disable, test, new):
        tools.add_command(command)


_add_commands()
