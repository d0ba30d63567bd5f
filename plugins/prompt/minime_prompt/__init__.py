"""The system prompt."""

from __future__ import annotations

from minime_core import hookimpl
from minime_core.session import Session


@hookimpl
def mm_system_prompt(session: Session) -> str:
    from minime_prompt.sections import render

    return render(session)
