"""`mm profiles`: the model profiles."""

from __future__ import annotations

import json

import click
from minime_core.assembly import load_profiles
from minime_core.cli.group import Invocation
from minime_core.config import Config


@click.group()
def profiles() -> None:
    """Show model profiles."""


@profiles.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def list_profiles(invocation: Invocation, as_json: bool) -> None:
    """List the profiles and the model names that they match."""
    host, _ = invocation.load()
    known = load_profiles(host, invocation.options.cwd)
    rows = [
        {
            "name": name,
            "summary": str(known.values(name).get("summary", "")),
            "match": known.patterns(name),
        }
        for name in known.names()
    ]
    if as_json:
        click.echo(json.dumps(rows, indent=2))
        return
    for row in rows:
        click.echo(f"{row['name']:<16} {row['summary']}")


@profiles.command()
@click.argument("name")
@click.pass_obj
def show(invocation: Invocation, name: str) -> None:
    """Show what a profile sets, with all that it extends, and where each value comes from."""
    host, settings = invocation.load()
    profile = load_profiles(host, invocation.options.cwd).load(name)
    for key, (value, origin) in sorted(Config(profile.layers, settings.sections).origins().items()):
        if origin != "default":
            click.echo(f"{key:<24} {json.dumps(value, ensure_ascii=False):<24} {origin}")
