"""The catalogue: the skills of a session, found in folders and looked up by what a model says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from minime_skills.skill import Problem, Skill, read_skill

MAX_SKILLS = 60
"""Most skills of a catalogue; each costs its line in each request."""
_AROUND = "\"'`\u2018\u2019\u201c\u201d\u00ab\u00bb \t\r\n"
"""Quotes and white space that models put around a name."""


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Skills by name, sorted, and what is wrong with their files."""

    skills: tuple[Skill, ...]
    problems: tuple[Problem, ...] = ()

    def find(self, said: str) -> Skill | None:
        """Return the skill that `said` names: as it is, else without quotes and case.

        What is said is only ever compared with names; it is never used as a path.
        """
        wanted = said.strip(_AROUND)
        exact = (skill for skill in self.skills if skill.name == wanted)
        loose = (skill for skill in self.skills if skill.name.casefold() == wanted.casefold())
        return next(exact, None) or next(loose, None)

    @property
    def names(self) -> list[str]:
        return [skill.name for skill in self.skills]


def read_catalogue(folders: Iterable[Path]) -> Catalogue:
    """Return the skills in `folders`; of two with one name the first counts.

    In a folder, flat files come before folders with a `SKILL.md`.
    """
    found: dict[str, Skill] = {}
    problems: list[Problem] = []
    for path in _files(folders):
        skill = read_skill(path)
        if isinstance(skill, Problem):
            problems.append(skill)
        elif (first := found.get(skill.name)) is not None:
            problems.append(Problem(path, f"the name {skill.name!r} is taken by {first.path}"))
        elif len(found) == MAX_SKILLS:
            problems.append(Problem(path, f"there are {MAX_SKILLS} skills already; left out"))
        else:
            found[skill.name] = skill
            problems += skill.problems
    return Catalogue(tuple(sorted(found.values(), key=lambda s: s.name)), tuple(problems))


def _files(folders: Iterable[Path]) -> Iterator[Path]:
    for folder in dict.fromkeys(folders):
        try:
            entries = sorted(folder.iterdir())
        except OSError:
            # Most folders are where skills might be; few are there.
            continue
        yield from (entry for entry in entries if entry.suffix == ".md")
        for entry in entries:
            file = entry / "SKILL.md"
            if entry.suffix != ".md" and file.is_file():
                yield file
