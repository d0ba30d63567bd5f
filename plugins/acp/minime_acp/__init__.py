"""`mm acp`: the agent for editors and programs, by the Agent Client Protocol."""

from __future__ import annotations

import click

from minime_core import hookimpl


@hookimpl
def mm_config_model() -> str:
    return "minime_acp.settings:AcpSettings"


@hookimpl
def mm_register_commands(cli: click.Group) -> None:
    from minime_acp.command import acp

    cli.add_command(acp)
