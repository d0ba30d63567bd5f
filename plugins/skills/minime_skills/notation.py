"""`$skill parameters` and `/skill parameters` as a line that decides for the model."""

from __future__ import annotations

import re

from minime_skills.catalogue import Catalogue
from minime_skills.skill import Skill

_CALL = re.compile(r"\s*[$/]([^\s/$]+)(?:\s+(.*))?", re.DOTALL)


def expand_skill(text: str, catalogue: Catalogue) -> str | None:
    """Return `text` with the skill that it begins with spelt out; None when it names none.

    A name with spaces is written with `-` for them.
    """
    match = _CALL.fullmatch(text)
    skill = catalogue.find(match[1]) if match else None
    if match and skill is None:
        skill = next((s for s in catalogue.skills if _dashed(s.name) == _dashed(match[1])), None)
    if match is None or skill is None:
        return None
    parameters = (match[2] or "").strip()
    given = f" Parameters: {parameters}" if parameters else ""
    return f"[skill {skill.name}: call read_skill for it now, then carry out its steps.]{given}"


def spelling(skill: Skill) -> str:
    """Return how a user calls `skill` at the beginning of a question."""
    return f"${skill.name.replace(' ', '-')}"


def _dashed(name: str) -> str:
    return name.casefold().replace(" ", "-")
