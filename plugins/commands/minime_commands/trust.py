"""`mm trust`: let a project's settings file set guarded settings."""

from __future__ import annotations

import click

from minime_core import trust as core
from minime_core.cli.group import Invocation
from minime_core.errors import UserError


@click.command()
@click.option("--revoke", is_flag=True, help="Trust the file no longer.")
@click.pass_obj
def trust(invocation: Invocation, revoke: bool) -> None:
    """Trust this folder's .mm/config.yaml as it is now.

    It may then set addresses, keys, commands, plugins and permissions. A change of the file
    withdraws trust.
    """
    path = core.project_config(invocation.options.cwd)
    if not path.is_file():
        raise UserError(f"there is no {path}")
    core.trust(path, trusted=not revoke)
    click.echo(f"{path} is {'no longer trusted' if revoke else 'trusted as it is now'}")
