from __future__ import annotations

import json
from pathlib import Path

import pytest

from minime_core.cli.main import run


def write(file: Path, text: str = "---\ndescription: d\n---\nbody") -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def test_the_library_is_listed_as_off(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["skills", "list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("off  bg-jobs: Start, wait for, ")
    assert lines[-1] == "None is on: `mm skills add NAME` copies one into this project."


def test_an_added_skill_is_on_and_the_users_to_change(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["skills", "add", "run-tests"]) == 0
    assert (project / ".mm/skills/run-tests/SKILL.md").is_file()
    capsys.readouterr()
    assert run(["skills", "list", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["name"] for row in rows if row["on"]] == ["run-tests"]
    assert len(rows) == 9
    assert run(["skills", "add", "run-tests"]) == 2
    assert "run-tests exists already" in capsys.readouterr().err


def test_a_skill_can_be_added_for_all_projects(project: Path, home: Path) -> None:
    assert run(["skills", "add", "--user", "bg-jobs"]) == 0
    assert (home / ".config/mini-me/skills/bg-jobs/SKILL.md").is_file()
    assert not (project / ".mm").exists()


def test_an_unknown_skill_is_told_with_the_nearest(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["skills", "add", "run-test"]) == 2
    assert (
        capsys.readouterr().err == "mm: no skill 'run-test' is shipped; did you mean run-tests?\n"
    )
    assert run(["skills", "show", "../x"]) == 2


def test_what_the_model_reads_is_shown(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(project / ".mm/skills/ship-it.md")
    assert run(["skills", "show", "SHIP-IT"]) == 0
    out = capsys.readouterr().out
    assert out == f"{project}/.mm/skills/ship-it.md\nship-it: d\n\nbody\n"
    assert run(["skills", "show", "bg-jobs"]) == 0


def test_a_check_finds_what_is_wrong_and_says_so_by_its_exit_code(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(project / ".mm/skills/ship-it.md")
    assert run(["skills", "check"]) == 0
    assert capsys.readouterr().out == "1 skills, nothing to mend\n"
    write(project / ".mm/skills/parser.md", "body")
    write(project / "AGENTS.md", "See the `lost` skill.")
    assert run(["skills", "check"]) == 1
    out = capsys.readouterr().out
    assert "parser.md: it has no description" in out
    assert "parser.md: code is full of things named 'parser'" in out
    assert "AGENTS.md: it names the skill 'lost', which is not on" in out


def test_a_check_looks_at_a_file_a_skills_folder_or_a_folder_of_skills(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(project / "work/ship-it/SKILL.md", "body")
    for path in ("work", "work/ship-it", "work/ship-it/SKILL.md"):
        assert run(["skills", "check", path]) == 1
        assert capsys.readouterr().out.startswith("work/ship-it/SKILL.md: it has no description")
    (project / "work/ship-it/SKILL.md").write_bytes(b"\xff")
    assert run(["skills", "check", "work/ship-it"]) == 1
