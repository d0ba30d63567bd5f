from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minime_commands.checking import key_lines
from minime_core.cli.main import run
from minime_core.config import read_yaml
from minime_core.errors import ConfigError


def said(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().out.splitlines()


# mm config show


def test_settings_of_core_and_plugins_are_shown_with_their_origin(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "own.yaml").write_text("guards: {retries: 7}\nmax_turns: 4\n")
    monkeypatch.setenv("MM_MODEL", "qwen3.8-27b")
    assert run(["--config", "own.yaml", "config", "show", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["model"] == {"value": "qwen3.8-27b", "origin": "MM_MODEL"}
    assert shown["max_turns"] == {"value": 4, "origin": "own.yaml"}
    assert shown["guards.retries"] == {"value": 7, "origin": "own.yaml"}
    assert shown["guards.resumes"]["origin"] == "default"
    assert shown["guards.watchdog_timeout"]["origin"] == "profile qwen3.5-large"
    assert shown["sampling.temperature"] == {"value": 1.0, "origin": "profile qwen3.8"}


def test_settings_are_shown_one_a_line(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["config", "show"]) == 0
    assert re.fullmatch(
        r"max_turns +10", next(s for s in said(capsys) if s.startswith("max_turns"))
    )
    assert run(["config", "show", "--origin"]) == 0
    line = next(s for s in said(capsys) if s.startswith("max_turns"))
    assert re.fullmatch(r"max_turns +10 +profile default", line)


# mm config init


def test_a_file_is_written_that_says_all_and_sets_nothing(
    project: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["config", "init"]) == 0
    path = home / ".config/mini-me/config.yaml"
    assert said(capsys) == [str(path)]
    assert read_yaml(path) == {}
    assert "#max_turns: 10" in path.read_text()
    assert '#  watchdog_timeout: "30s"' in path.read_text()


def test_what_is_written_is_right_when_all_of_it_is_set(
    project: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["config", "init", "--project"]) == 0
    path = project / ".mm/config.yaml"
    path.write_text(re.sub(r"^#(?=\s*\w+:)", "", path.read_text(), flags=re.MULTILINE))
    assert {"model", "guards", "prompt", "skills", "builtin_tools"} <= {*read_yaml(path)}
    assert run(["config", "check", str(path)]) == 0


def test_a_file_that_is_there_is_left_as_it_is(
    project: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = home / ".config/mini-me/config.yaml"
    path.parent.mkdir(parents=True)
    path.write_text("max_turns: 3\n")
    assert run(["config", "init"]) == 2
    assert "exists already" in capsys.readouterr().err
    assert path.read_text() == "max_turns: 3\n"


# mm config check


def check(project: Path, capsys: pytest.CaptureFixture[str], text: str) -> list[str]:
    (project / "own.yaml").write_text(text)
    code = run(["config", "check", "own.yaml"])
    lines = said(capsys)
    assert code == (0 if lines == ["own.yaml: nothing to mend"] else 1)
    return lines


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("model: m\nmodle: x\n", "own.yaml:2: unknown setting modle; did you mean model?"),
        ("sampling:\n  top_p: 1\n  temperature: hot",
         "own.yaml:3: sampling.temperature is 'hot'; it has to be a number"),
        ("# a\n\nmax_turns: 0", "own.yaml:3: max_turns is 0; the least is 1"),
        ("guards:\n  retries: 1\n  retrys: 2",
         "own.yaml:3: unknown setting guards.retrys; did you mean retries?"),
        ("guards:\n\n  watchdogTimeout: soon", "own.yaml:3: guards.watchdog_timeout is 'soon'; it "
         "has to be a duration such as 30s or 5m"),
        ("guards: 5", "own.yaml:1: guards has to hold settings of that plugin"),
        ("commands: {x: 1}", "own.yaml:1: the plugin commands has no settings"),
        ("thinking: maybe", "own.yaml:1: thinking is 'maybe'; it can be auto, on, off"),
        ("a: 1\n\tb: 2", "own.yaml:2: "),
        ("model: [a\nb: c", "own.yaml:2: "),
        ("- a", "own.yaml: has to hold settings, one `name: value` a line"),
        ("model: a\nmax_turns: 3\nmodel: b", "own.yaml:3: model is set twice; the last one counts"),
        ("lsp: {}\nmodel: x", "own.yaml:1: lsp means nothing here and is ignored"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_with_its_line(
    text: str, line: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (found,) = check(project, capsys, text)
    assert found.startswith(line)


def test_all_mistakes_are_told_in_order(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "maxTurns: many\nguards:\n  x: 1\n  retries: -1\nskills:\n  folders: {}\n"
    lines = check(project, capsys, text)
    assert [line.split(":")[1] for line in lines] == ["1", "3", "4", "6"]


@pytest.mark.parametrize(
    "text", ["", "model: m\nguards: {retries: 2}\n", "thinking: off", "maxTurns: 3\nyolo: false"]
)
def test_a_file_without_mistakes_is_said_to_be_right(
    text: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check(project, capsys, text) == ["own.yaml: nothing to mend"]


def test_files_that_stop_everything_else_can_be_checked(
    project: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    user = home / ".config/mini-me/config.yaml"
    user.parent.mkdir(parents=True)
    user.write_text("modle: x\n")
    (project / ".mm").mkdir()
    (project / ".mm/config.yaml").write_text("\nmax_turns: x\n")
    assert run(["config", "show"]) == 2
    capsys.readouterr()
    assert run(["config", "check"]) == 1
    assert said(capsys) == [
        f"{user}:1: unknown setting modle; did you mean model?",
        f"{project}/.mm/config.yaml:2: max_turns is 'x'; it has to be a whole number",
    ]


def test_without_a_file_there_is_nothing_to_check(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["config", "check"]) == 2
    assert "there is no settings file; `mm config init` writes" in capsys.readouterr().err


@given(st.text())
def test_lines_are_found_in_whatever_can_be_read(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    path = tmp_path_factory.mktemp("config") / "a.yaml"
    path.write_bytes(text.encode("utf-8", "replace"))
    try:
        values = read_yaml(path)
    except ConfigError:
        return
    assert {key for key, inner in key_lines(path)[0] if not inner} == {*values}
