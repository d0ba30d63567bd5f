"""Where skills come from: the project, the user, the settings, plugins, and what is shipped."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from minime_core import paths
from minime_core.bundled import bundled
from minime_core.config import Config
from minime_core.errors import ConfigError
from minime_skills.catalogue import Catalogue, read_catalogue
from minime_skills.settings import SkillSettings
from minime_skills.skill import Skill


def project_folder(cwd: Path) -> Path:
    return cwd / paths.PROJECT_FOLDER / "skills"


def user_folder() -> Path:
    return paths.config_folder() / "skills"


def shipped_skills() -> Catalogue:
    """Return the library that comes with Mini Me, none of which is on by itself."""
    return read_catalogue([bundled("skills")])


def active_skills(config: Config, cwd: Path, plugin_folders: Iterable[Path]) -> Catalogue:
    """Return the skills that a session in `cwd` offers. Raises ConfigError.

    plugin_folders: what plugins returned from `mm_register_skills`.
    """
    settings = config.section("skills", SkillSettings)
    configured = [cwd / os.path.expanduser(folder) for folder in settings.folders]
    own = read_catalogue([project_folder(cwd), *configured, user_folder(), *plugin_folders])
    if not settings.enabled:
        return own
    library = shipped_skills()
    shipped = [shipped_skill(name, library) for name in dict.fromkeys(settings.enabled)]
    added = [skill for skill in shipped if skill.name not in own.names]
    return replace(
        own,
        skills=tuple(sorted([*own.skills, *added], key=lambda skill: skill.name)),
        problems=(*own.problems, *(problem for skill in added for problem in skill.problems)),
    )


def shipped_skill(name: str, library: Catalogue) -> Skill:
    """Return the skill `name` of the library. Raises ConfigError with the nearest name."""
    skill = library.find(name)
    if skill is None:
        near = difflib.get_close_matches(name, library.names, n=1)
        hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(library.names)}"
        raise ConfigError(f"no skill {name!r} is shipped; {hint}")
    return skill
