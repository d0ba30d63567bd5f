"""The library: what it holds, and that it is written as small models follow it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from minime_core.bundled import bundled
from minime_skills.mentioned import missing_skills, named_skills
from minime_skills.places import shipped_skills
from minime_skills.skill import MAX_KEYWORDS, Skill

ROOT = Path(__file__).parents[3]
LIBRARY = shipped_skills()


def test_these_are_shipped() -> None:
    assert LIBRARY.names == [
        "bg-jobs", "code-review", "debug-failure", "git-commit", "greetings", "run-tests",
        "vulcan-salute", "what-time-is-it", "write-docs",
    ]  # fmt: skip


def test_nothing_is_wrong_with_them_but_one_name() -> None:
    # It is here to be measured: its name draws requests about a function of that name.
    assert [problem.path.parent.name for problem in LIBRARY.problems] == ["greetings"]


@pytest.mark.parametrize("skill", LIBRARY.skills, ids=lambda skill: skill.name)
def test_a_shipped_skill_is_written_to_be_carried_out(skill: Skill) -> None:
    assert skill.folder is not None
    assert skill.folder.name == skill.name
    assert 0 < len(skill.keywords) <= MAX_KEYWORDS
    # A command in a fence is copied into the answer instead of being run.
    assert "```" not in skill.body
    commands = re.findall(r"^ {4,}\S.*$", skill.body, re.MULTILINE)
    assert not commands or re.search(r"your `bash` tool", skill.body)
    # The catalogue shows both: a keyword that the description has already is a waste.
    described = re.findall(r"\w+", skill.description.lower())
    assert [word for word in skill.keywords if word in described] == []


def prompts() -> list[Path]:
    sections = (ROOT / "plugins/prompt").rglob("*.py")
    return [*sections, *bundled("profiles").glob("*.yaml"), *bundled("skills").rglob("*.md")]


def test_every_skill_that_a_prompt_names_exists() -> None:
    for path in prompts():
        for name in named_skills(path.read_text()):
            assert LIBRARY.find(name) is not None, (path, name)


def test_a_named_skill_is_found_in_a_prompt() -> None:
    text = (
        "Read the `bg-jobs` skill. See skill `run-tests`. The `file` and a skill. `bg-jobs` skill"
    )
    assert named_skills(text) == ["bg-jobs", "run-tests"]


def test_what_the_users_own_prompts_name_and_is_not_on_is_said(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("Use the `deploy-it` skill, or the `bg-jobs` skill.")
    said = [str(p) for p in missing_skills(tmp_path, "Use the `lost` skill.", LIBRARY)]
    assert said == [
        "the setting system: it names the skill 'lost', which is not on",
        f"{tmp_path}/AGENTS.md: it names the skill 'deploy-it', which is not on",
    ]
