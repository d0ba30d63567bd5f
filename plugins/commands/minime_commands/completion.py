"""`mm completion`: the script that makes a shell complete the commands of `mm`."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from minime_core.cli.completing import VARIABLE
from minime_core.errors import UserError


@click.command()
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the script that completes commands, options and names in a shell.

    \b
    bash, in ~/.bashrc:
      eval "$(mm completion bash)"
    zsh, in ~/.zshrc, below compinit:
      eval "$(mm completion zsh)"
    fish, once:
      mm completion fish > ~/.config/fish/completions/mm.fish

    Names of profiles, sessions, plugins, skills and tools are read from disk; no server is asked.
    """
    kind = get_completion_class(shell)
    if kind is None:
        raise UserError(f"this version of click knows no {shell}")
    click.echo(kind(ctx.find_root().command, {}, "mm", VARIABLE).source())
