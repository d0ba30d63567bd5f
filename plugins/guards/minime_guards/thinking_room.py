"""The policy `thinking_room`: the user is told when a model that thinks has no room to answer.

Thinking counts as answer, so that a low `max_tokens` is used up before the first word of it.
"""

from __future__ import annotations

from minime_core.session import Session
from minime_guards.settings import GuardSettings

NAME = "thinking_room"
LEAST, ENOUGH = 8_192, 16_384
"""Tokens of an answer: fewer are warned of where the model thinks, and what is suggested then.
Reasoning models often think for thousands of tokens."""


def warn(session: Session) -> None:
    """Tell of a low `max_tokens`, once, at the session's start."""
    settings = session.settings
    if (
        settings.thinking != "on"
        or NAME in session.config.section("guards", GuardSettings).disabled
    ):
        return
    # More than half of the window would leave nothing to think about.
    most = ENOUGH if session.window is None else session.window // 2
    if settings.max_tokens < min(LEAST, most):
        session.notice(
            f"max_tokens is {settings.max_tokens}, and {session.ref.model} thinks before it "
            "answers: its thoughts may use them up. Set max_tokens to "
            f"{min(ENOUGH, most)}, or thinking to off",
            source=NAME,
        )
