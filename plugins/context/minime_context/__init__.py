"""The model's window: known, measured, and kept from overflowing.

`layer` is around each request, `room` rewrites the history when it has to, `prefix` looks on from
the inside.
"""

from __future__ import annotations

from minime_core import hookimpl
from minime_core.frontends import SlashCommand
from minime_core.middleware import ModelLayer, Phase
from minime_core.session import Session


@hookimpl
def mm_config_model() -> str:
    return "minime_context.settings:ContextSettings"


@hookimpl
def mm_model_middleware(session: Session) -> list[ModelLayer]:
    from minime_context.state import state_of

    state = state_of(session)
    return [
        ModelLayer(name="context", phase=Phase.CONTEXT, wrap=state.context.wrap),
        # Inside of all that changes a request.
        ModelLayer(name="prefix", phase=Phase.NORMALISE, order=-100, wrap=state.prefix.wrap),
    ]


@hookimpl
def mm_slash_commands(session: Session) -> list[SlashCommand]:
    from minime_context.commands import run_compact, run_context

    return [
        SlashCommand(
            name="compact",
            summary="put a summary in the place of earlier questions",
            run=run_compact,
        ),
        SlashCommand(name="context", summary="show what fills the window", run=run_context),
    ]
