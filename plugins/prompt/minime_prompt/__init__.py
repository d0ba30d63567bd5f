"""The system prompt, and how a model is told whether to think."""

from __future__ import annotations

import click

from minime_core import hookimpl
from minime_core.middleware import ModelLayer, Phase
from minime_core.session import Session


@hookimpl
def mm_config_model() -> str:
    return "minime_prompt.settings:PromptSettings"


@hookimpl
def mm_system_prompt(session: Session) -> str:
    from minime_prompt.parts import system_parts
    from minime_prompt.project_notes import announce

    announce(session)
    return "\n\n".join(part.text for part in system_parts(session))


@hookimpl
def mm_model_middleware(session: Session) -> list[ModelLayer]:
    from minime_prompt.thinking import Thinking

    # Innermost, so that every layer that asks again goes through it.
    return [ModelLayer(name="thinking", phase=Phase.NORMALISE, wrap=Thinking(session).wrap)]


@hookimpl
def mm_register_commands(cli: click.Group) -> None:
    from minime_prompt.command import prompt

    cli.add_command(prompt)
