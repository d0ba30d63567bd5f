"""`mm trust`: let a project's settings file set guarded settings."""

from __future__ import annotations

from pathlib import Path

import click

from minime_core.cli.group import Invocation
from minime_core.errors import UserError
from minime_core.trust import digest, project_config, trusted, trusted_file
from minime_shared.state_file import write_state


@click.command()
@click.option("--revoke", is_flag=True, help="Trust the file no longer.")
@click.pass_obj
def trust(invocation: Invocation, revoke: bool) -> None:
    """Trust this folder's .mm/config.yaml as it is now.

    It may then set addresses, keys, commands, plugins and permissions. A change of the file
    withdraws trust.
    """
    path = project_config(invocation.options.cwd)
    if not path.is_file():
        raise UserError(f"there is no {path}")
    set_trust(path, not revoke)
    click.echo(f"{path} is {'no longer trusted' if revoke else 'trusted as it is now'}")


def set_trust(path: Path, is_trusted: bool) -> None:
    """Trust a file as it is now, or no longer. Raises UserError."""
    known = trusted()
    known.pop(str(path.resolve()), None)
    if is_trusted:
        try:
            known[str(path.resolve())] = digest(path)
        except OSError as error:
            raise UserError(f"cannot read {path}: {error.strerror}") from error
    write_state(trusted_file(), known)
