"""`mm config`: the settings as they are, and where each comes from."""

from __future__ import annotations

import json

import click
from minime_core.assembly import load_profiles
from minime_core.cli.group import Invocation
from minime_core.profiles import DEFAULT


@click.group()
def config() -> None:
    """Show the settings."""


@config.command()
@click.option("--origin", is_flag=True, help="Show where each value comes from.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def show(invocation: Invocation, origin: bool, as_json: bool) -> None:
    """Show each setting. The profile is the one that is named or matches the named model."""
    host, settings = invocation.load()
    profiles = load_profiles(host, invocation.options.cwd)
    chosen = settings.settings
    name = chosen.profile or (profiles.match(chosen.model) if chosen.model else None)
    merged = settings.above(profiles.load(name or DEFAULT).layers)
    origins = merged.origins()
    if as_json:
        plain = {key: {"value": value, "origin": where} for key, (value, where) in origins.items()}
        click.echo(json.dumps(plain, indent=2))
        return
    width = max(map(len, origins))
    for key, (value, where) in sorted(origins.items()):
        shown = json.dumps(value, ensure_ascii=False)
        click.echo(f"{key:<{width}}  {shown:<24}  {where}" if origin else f"{key:<{width}}  {shown}")
