"""Commands that look at models, settings, profiles, sessions and trust, and at all of them."""

from __future__ import annotations

import click

from minime_core import hookimpl
from minime_core.frontends import SlashCommand


@hookimpl
def mm_register_commands(cli: click.Group) -> None:
    from minime_commands.completion import completion
    from minime_commands.config import config
    from minime_commands.doctor import doctor
    from minime_commands.models import models
    from minime_commands.profiles import profiles
    from minime_commands.sessions import sessions
    from minime_commands.trust import trust

    for command in (completion, config, doctor, models, profiles, sessions, trust):
        cli.add_command(command)


@hookimpl
def mm_slash_commands() -> list[SlashCommand]:
    from minime_commands.slash_commands import export, list_sessions

    return [
        SlashCommand(
            name="export",
            summary="write the conversation to a file: html, markdown or json, and its name",
            run=export,
        ),
        SlashCommand(
            name="sessions", summary="list the sessions of this folder", run=list_sessions
        ),
    ]
