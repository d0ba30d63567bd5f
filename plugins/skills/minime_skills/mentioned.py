"""Skills that a prompt names: each has to exist, or the model is sent after nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from minime_skills.catalogue import Catalogue
from minime_skills.skill import Problem

_NAMED = re.compile(r"`([\w.+-]+)` skill\b|\bskill `([\w.+-]+)`")


def named_skills(text: str) -> list[str]:
    """Return the skills that `text` names in the shape "the `name` skill", in order."""
    return list(dict.fromkeys(one or other for one, other in _NAMED.findall(text)))


def missing_skills(cwd: Path, system: str, catalogue: Catalogue) -> Iterator[Problem]:
    """Yield what the user's own prompts name but the catalogue has not.

    system: the system prompt of the settings, "" when there is none.
    """
    notes = cwd / "AGENTS.md"
    texts = {Path("the setting system"): system}
    if notes.is_file():
        texts[notes] = notes.read_bytes().decode("utf-8", "replace")
    for path, text in texts.items():
        for name in named_skills(text):
            if catalogue.find(name) is None:
                yield Problem(path, f"it names the skill {name!r}, which is not on")
