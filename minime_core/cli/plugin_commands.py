"""`mm plugins`: works when plugins are broken, since it imports none."""

from __future__ import annotations

import json
from dataclasses import asdict

import click


@click.group()
def plugins() -> None:
    """Show plugins."""


@plugins.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def list_plugins(ctx: click.Context, as_json: bool) -> None:
    """List the installed plugins, without importing them."""
    from minime_core.plugins import discover

    infos = discover()
    if as_json:
        click.echo(json.dumps([asdict(info) for info in infos], indent=2))
        return
    for info in infos:
        origin = "built in" if info.builtin else f"{info.distribution} {info.version}"
        click.echo(f"{info.name:<16} {origin:<24} {info.module}")
