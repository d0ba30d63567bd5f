"""`--json`: what a command shows, for programs."""

from __future__ import annotations

import json

import click

json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print JSON instead of text for people."
)
"""Adds `--json` to a command, which gets it as `as_json`."""


def print_json(value: object) -> None:
    """Print `value` in ASCII, so that no name or text in it steers a terminal."""
    click.echo(json.dumps(value, indent=2))
