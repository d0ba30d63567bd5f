"""Guards: whatever a weak model or server does, the turn goes on or ends with the truth.

One policy a file; each is a layer that can be read, tested and switched off alone
(`guards: {disabled: [NAME]}`). `policies` has them all.
"""

from __future__ import annotations

from minime_core import hookimpl
from minime_core.middleware import ModelLayer, ToolLayer
from minime_core.session import Session


@hookimpl
def mm_config_model() -> str:
    return "minime_guards.settings:GuardSettings"


@hookimpl
def mm_session_start(session: Session) -> None:
    from minime_guards.thinking_room import warn

    warn(session)


@hookimpl
def mm_model_middleware(session: Session) -> list[ModelLayer]:
    from minime_guards.policies import model_layers

    return model_layers(session)


@hookimpl
def mm_tool_middleware(session: Session) -> list[ToolLayer]:
    from minime_guards.policies import tool_layers

    return tool_layers(session)
