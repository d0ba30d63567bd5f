"""A command of `mm`."""

from __future__ import annotations

import click


@click.command()
@click.argument("name")
def hello(name: str) -> None:
    """Greet NAME."""
    click.echo(f"Hello, {name}!")
