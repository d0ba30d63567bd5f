"""Skills: procedures in Markdown that the model loads when a request calls for one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from minime_core import hookimpl
from minime_core.config import Config
from minime_core.frontends import SlashCommand, Suggestion
from minime_core.session import Session
from minime_core.tools import Tool

if TYPE_CHECKING:
    from minime_core.cli.finding import Finding


@hookimpl
def mm_config_model() -> str:
    return "minime_skills.settings:SkillSettings"


@hookimpl
def mm_register_tools(config: Config, cwd: Path, skill_folders: Sequence[Path]) -> Iterator[Tool]:
    from minime_skills.places import active_skills
    from minime_skills.tool import skill_tool

    catalogue = active_skills(config, cwd, skill_folders)
    if catalogue.skills:
        yield skill_tool(catalogue)


@hookimpl
def mm_findings(config: Config, cwd: Path) -> Iterator[Finding]:
    from minime_core.cli.finding import Finding
    from minime_skills.places import active_skills

    catalogue = active_skills(config, cwd, ())
    for problem in catalogue.problems:
        yield Finding("skills", "warn", str(problem), "mend it; `mm skills check`")
    if not catalogue.problems:
        yield Finding("skills", "ok", f"{len(catalogue.skills)} are on")


@hookimpl
def mm_session_start(session: Session) -> None:
    from minime_skills.places import active_skills
    from minime_skills.tool import catalogue_of

    catalogue = catalogue_of(session)
    if catalogue is None:
        # There is no skill that can be used; perhaps there are some that cannot.
        folders = [folder for _, folder in session.host.collect("mm_register_skills", Path)]
        catalogue = active_skills(session.config, session.cwd, folders)
    for problem in catalogue.problems:
        session.notice(f"skill {problem}", source="skills")


@hookimpl
def mm_rewrite_question(session: Session, question: str) -> str | None:
    from minime_skills.notation import expand_skill
    from minime_skills.tool import catalogue_of

    catalogue = catalogue_of(session)
    return expand_skill(question, catalogue) if catalogue else None


@hookimpl
def mm_suggestions(session: Session) -> list[Suggestion]:
    from minime_skills.notation import spelling
    from minime_skills.tool import catalogue_of

    catalogue = catalogue_of(session)
    skills = catalogue.skills if catalogue else ()
    return [Suggestion(text=spelling(skill), summary=skill.description) for skill in skills]


@hookimpl
def mm_slash_commands(session: Session) -> SlashCommand:
    from minime_skills.tool import show_catalogue

    return SlashCommand(name="skills", summary="the skills of this session", run=show_catalogue)


@hookimpl
def mm_register_commands(cli: click.Group) -> None:
    from minime_skills.commands import skills

    cli.add_command(skills)
