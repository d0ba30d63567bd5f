from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minime_skills.catalogue import MAX_SKILLS, Catalogue, read_catalogue
from minime_skills.notation import expand_skill
from minime_skills.skill import Skill


def write(folder: Path, *names: str, text: str = "body") -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"---\ndescription: of {name}\n---\n{text}")
    return folder


def catalogue(*names: str) -> Catalogue:
    return Catalogue(tuple(Skill(name=name, path=Path(f"{name}.md")) for name in names))


def test_flat_files_and_folders_are_found_and_sorted(tmp_path: Path) -> None:
    write(tmp_path, "z-z.md", "a-a/SKILL.md", "m-m.md", "no-skill/README.md", "notes.txt")
    assert read_catalogue([tmp_path]).names == ["a-a", "m-m", "z-z"]


def test_the_flat_file_wins_and_the_other_is_named(tmp_path: Path) -> None:
    write(tmp_path, "a-a.md", "a-a/SKILL.md")
    found = read_catalogue([tmp_path])
    assert [skill.path for skill in found.skills] == [tmp_path / "a-a.md"]
    (problem,) = found.problems
    assert str(problem) == (
        f"{tmp_path}/a-a/SKILL.md: the name 'a-a' is taken by {tmp_path}/a-a.md"
    )


def test_the_first_folder_wins(tmp_path: Path) -> None:
    one, two = write(tmp_path / "1", "a-a/SKILL.md"), write(tmp_path / "2", "a-a.md")
    assert read_catalogue([one, two]).skills[0].path == one / "a-a/SKILL.md"
    assert len(read_catalogue([one, one, tmp_path / "missing"]).problems) == 0


def test_there_is_a_limit_to_the_number_of_skills(tmp_path: Path) -> None:
    write(tmp_path, *(f"skill-{number:03}.md" for number in range(MAX_SKILLS + 2)))
    found = read_catalogue([tmp_path])
    assert len(found.skills) == MAX_SKILLS
    assert len(found.problems) == 2


@pytest.mark.parametrize(
    "said",
    ["bg-jobs", " bg-jobs\n", '"bg-jobs"', "'bg-jobs'", "`bg-jobs`", "BG-Jobs", '" Bg-jobs "'],
)
def test_a_name_is_found_in_spite_of_case_spaces_and_quotes(said: str) -> None:
    skill = catalogue("bg-jobs").find(said)
    assert skill is not None
    assert skill.name == "bg-jobs"


def test_an_exact_name_comes_before_one_in_another_case() -> None:
    skill = catalogue("Ship", "ship").find("ship")
    assert skill is not None
    assert skill.name == "ship"


@pytest.mark.parametrize("said", ["", "bg", "bg-jobs.md", "./bg-jobs", "../bg-jobs", "bg jobs"])
def test_what_is_not_a_name_finds_nothing(said: str) -> None:
    assert catalogue("bg-jobs").find(said) is None


@given(st.text())
def test_anything_said_finds_a_skill_of_the_catalogue_or_nothing(said: str) -> None:
    known = catalogue("a-a", "B-b")
    assert known.find(said) in {None, *known.skills}


# $skill and /skill


CALL = "call read_skill for it now, then carry out its steps.]"


@pytest.mark.parametrize(
    ("text", "expanded"),
    [
        ("$greet-them Bob", f"[skill greet-them: {CALL} Parameters: Bob"),
        ("/greet-them Bob and\nEve", f"[skill greet-them: {CALL} Parameters: Bob and\nEve"),
        ("  $GREET-THEM  ", f"[skill greet-them: {CALL}"),
        ("$my-skill x", f"[skill My Skill: {CALL} Parameters: x"),
    ],
)
def test_a_skill_that_is_called_is_spelt_out(text: str, expanded: str) -> None:
    assert expand_skill(text, catalogue("greet-them", "My Skill")) == expanded


@pytest.mark.parametrize(
    "text",
    [
        *("", "$", "/", "$HOME/bin", "what is $greet-them?", "/usr/bin", "$unknown x"),
        *("$ greet-them", "cost: $greet-them", "$$greet-them", "//greet-them"),
    ],
)
def test_everything_else_stays_as_it_is(text: str) -> None:
    assert expand_skill(text, catalogue("greet-them")) is None


@given(st.text())
def test_any_question_can_be_looked_at(text: str) -> None:
    expanded = expand_skill(text, catalogue("a"))
    assert expanded is None or expanded.startswith("[skill a: ")
