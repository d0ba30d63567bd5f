"""Evaluations: what only a real model can tell, as numbers to compare before and after a change."""

from __future__ import annotations

import click

from minime_core import hookimpl


@hookimpl
def mm_register_commands(cli: click.Group) -> None:
    from minime_evals.commands import evaluate

    cli.add_command(evaluate)
