"""The tool `read_skill`, whose description is the catalogue."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from minime_core.session import Session
from minime_core.tools import Arguments, Tool, ToolContext, ToolResult
from minime_skills.catalogue import Catalogue
from minime_skills.skill import Skill

NAME = "read_skill"
MAX_FILES = 30
"""Most files of a skill's folder that are listed with it."""


@dataclass(frozen=True, kw_only=True)
class SkillTool(Tool):
    """The tool, with the catalogue that it was made from."""

    catalogue: Catalogue = field(default_factory=lambda: Catalogue(()))


def skill_tool(catalogue: Catalogue) -> SkillTool:
    """Return the tool for the skills of `catalogue`."""
    entries = "\n".join(skill.entry for skill in catalogue.skills)
    return SkillTool(
        name=NAME,
        description=f"Load a skill, a tested procedure, then carry it out. The skills:\n{entries}",
        schema={
            "type": "object",
            "properties": {"name": {"type": "string", "description": "name of the skill"}},
            "required": ["name"],
            "additionalProperties": False,
        },
        run=partial(_run, catalogue),
        effects=frozenset({"read"}),
        kind="read",
        tally="skill",
        title=lambda arguments: f"skill: {arguments['name']}",
        catalogue=catalogue,
    )


def catalogue_of(session: Session) -> Catalogue | None:
    """Return the catalogue that a session's model was shown, None when it has no skills."""
    tool = session.tools.get(NAME)
    return tool.catalogue if isinstance(tool, SkillTool) else None


async def show_catalogue(session: Session, words: str) -> str:
    """Return the catalogue of a session, for its user."""
    catalogue = catalogue_of(session)
    if catalogue is None:
        return "No skill is on; `mm skills list` shows those that could be."
    return "\n".join(skill.entry for skill in catalogue.skills)


async def _run(catalogue: Catalogue, arguments: Arguments, context: ToolContext) -> ToolResult:
    said = str(arguments["name"])
    skill = catalogue.find(said)
    if skill is None:
        names = ", ".join(catalogue.names)
        text = f"[{NAME}: no skill named {said!r:.80}; there are: {names}]"
        return ToolResult(text=text, ok=False, ran=False)
    files = list(_files(skill))
    listing = f"\n\n[files of this skill, in {skill.folder}: {', '.join(files)}]" if files else ""
    return ToolResult(text=f"{skill.body}{listing}")


def _files(skill: Skill) -> Iterator[str]:
    """Yield the files that a skill's folder holds besides its text, relative to the folder."""
    if skill.folder is None:
        return
    count = 0
    # Links are not followed, so that they cannot lead round in a circle.
    for parent, folders, files in os.walk(skill.folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for file in sorted(files):
            path = Path(parent, file)
            if path == skill.path:
                continue
            if count == MAX_FILES:
                yield "..."
                return
            count += 1
            yield path.relative_to(skill.folder).as_posix()
