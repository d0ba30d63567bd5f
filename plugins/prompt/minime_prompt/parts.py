"""The system prompt of a session, part by part."""

from __future__ import annotations

from dataclasses import dataclass

from minime_core.session import Session
from minime_prompt.project_notes import project_notes
from minime_prompt.sections import ROLE, ROLE_WITHOUT_TOOLS, SECTIONS
from minime_prompt.settings import PromptSettings
from minime_prompt.size import size_class


@dataclass(frozen=True, slots=True)
class Part:
    """One part of what is sent: a name for listings, and its text."""

    name: str
    text: str


def system_parts(session: Session) -> list[Part]:
    """Return the parts of the system prompt that this plugin writes, in order.

    They depend on nothing that changes while a session lasts.
    """
    settings = session.config.section("prompt", PromptSettings)
    size = size_class(session.ref.model) if settings.size == "auto" else settings.size
    role = (ROLE if session.tools else ROLE_WITHOUT_TOOLS).format(cwd=session.cwd)
    parts = [Part("role", role)]
    parts += [Part(s.title.lower(), s.render(session.tools, size)) for s in SECTIONS]
    notes = project_notes(session)
    if notes is not None:
        parts.append(Part(notes.path.name, notes.text))
    return [part for part in parts if part.text]
