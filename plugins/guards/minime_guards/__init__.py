"""Guards: whatever a weak model or server does, the turn goes on or ends with the truth.

One policy a file; each is a layer that can be read, tested and switched off alone
(`guards: {disabled: [NAME]}`). `policies` has them all.
"""

from __future__ import annotations

from minime_core import hookimpl
from minime_core.middleware import ModelLayer, ToolLayer
from minime_core.session import Session

LEAST_FOR_THOUGHTS, ENOUGH_FOR_THOUGHTS = 8_192, 16_384
"""Tokens of an answer: fewer are warned of where the model thinks, and what is suggested then.
Reasoning models often think for thousands of tokens."""


@hookimpl
def mm_config_model() -> str:
    return "minime_guards.settings:GuardSettings"


@hookimpl
def mm_session_start(session: Session) -> None:
    """Warn of too few tokens for an answer: thoughts are a part of it, and may be all of it."""
    most = session.settings.max_tokens
    if session.settings.thinking == "on" and most < LEAST_FOR_THOUGHTS:
        session.notice(
            f"max_tokens is {most}, and {session.ref.model} thinks before it answers: its thoughts "
            f"may use them up. Set max_tokens to {ENOUGH_FOR_THOUGHTS}, or thinking to off",
            source="guards",
        )


@hookimpl
def mm_model_middleware(session: Session) -> list[ModelLayer]:
    from minime_guards.policies import model_layers

    return model_layers(session)


@hookimpl
def mm_tool_middleware(session: Session) -> list[ToolLayer]:
    from minime_guards.policies import tool_layers

    return tool_layers(session)
