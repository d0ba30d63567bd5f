from __future__ import annotations

import json
from pathlib import Path

import pytest

from minime_core.cli.main import run


def own(home: Path, name: str, text: str) -> Path:
    path = home / f".config/mini-me/profiles/{name}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def check(capsys: pytest.CaptureFixture[str], name: str) -> tuple[int, list[str]]:
    code = run(["profiles", "check", name])
    return code, capsys.readouterr().out.splitlines()


def test_profiles_are_listed_with_what_they_are_for(
    project: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own(home, "mine", "summary: my own\nmatch: ['*mine*']\n")
    assert run(["profiles", "list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert any(line.split() == ["mine", "my", "own"] for line in lines)
    assert any(line.startswith("gpt-oss  ") for line in lines)
    assert run(["profiles", "list", "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert rows["mine"]["match"] == ["*mine*"]


@pytest.mark.parametrize("name", ["qwen3-27b", "Qwen3 27B"])
def test_a_profile_is_shown_merged_with_origins(
    name: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["profiles", "show", name]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["sampling.temperature", "0.6", "profile", "qwen3"] in rows
    assert ["max_turns", "10", "profile", "default"] in rows
    assert ["guards.watchdog_timeout", "300.0", "profile", "qwen3-27b"] in rows
    said = " ".join(rows[0])
    assert said.startswith("qwen3-27b: ") is (name != "qwen3-27b")


def test_an_unknown_profile_is_told_with_the_nearest(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["profiles", "show", "gpt-os"]) == 2
    assert "did you mean gpt-oss?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("match: ['*x*']\nmax_token: 5", "2: unknown setting max_token; did you mean max_tokens?"),
        ("match: ['*x*']\nsampling:\n  top_p: high", "3: sampling.top_p is 'high'; it has to be a"),
        ("prompt:\n  size: huge", "2: prompt.size is 'huge'; it can be auto, small, medium, large"),
        ("match: [", "2: did not find"),
    ],
)
def test_a_mistake_is_told_with_its_line(
    text: str, line: str, project: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = own(home, "mine", text)
    code, (found,) = check(capsys, str(path))
    assert code == 1
    assert found.startswith(f"{path}:{line}")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("match: '*'", "profile mine: '*' matches every model"),
        ("match: 5", "profile mine: match has to be a list of patterns"),
        ("extends: mine", "profiles extend each other in a circle: mine -> mine"),
        ("extends: qwen4", "there is no profile 'qwen4'; did you mean qwen3?"),
        ("extends: [a]", "profile mine: extends has to be the name of a profile"),
        ("match: '*gpt-oss*'", "'*gpt-oss*' is a pattern of the profile gpt-oss too: one of them "
         "never matches"),
    ],
)  # fmt: skip
def test_mistakes_between_profiles_are_told(
    text: str, fault: str, project: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = own(home, "mine", text)
    code, (found,) = check(capsys, "mine")
    assert code == 1
    assert found.startswith(f"{path}: {fault}")


def test_a_profile_without_mistakes_is_said_to_be_right(
    project: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = own(home, "mine", "extends: qwen3\nmatch: ['*mine*']\nthinking: off\n")
    assert check(capsys, "mine") == (0, [f"{path}: nothing to mend"])
    assert check(capsys, "qwen3")[0] == 0


def test_a_profile_of_the_project_is_found_first(
    project: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own(home, "mine", "x: 1")
    (project / ".mm/profiles").mkdir(parents=True)
    (project / ".mm/profiles/mine.yaml").write_text("match: ['*mine*']\n")
    assert check(capsys, "mine")[1] == [f"{project}/.mm/profiles/mine.yaml: nothing to mend"]


def test_what_is_no_profile_is_told(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["profiles", "check", "nowhere"]) == 2
    assert "no profile 'nowhere'" in capsys.readouterr().err
