from __future__ import annotations

import contextlib
import io
import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minime_core.cli.group import OPTIONS
from minime_core.cli.main import go_spelling, run
from minime_core.cli.say import say
from minime_core.testing import Site


@pytest.fixture
def cwd(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    cwd = tmp_path / "project"
    cwd.mkdir()
    monkeypatch.chdir(cwd)
    return cwd


def failure(capfd: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Return the one line that a command line with a mistake gets."""
    assert run(arguments) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith("mm: ")
    assert err.count("\n") == 1
    return err.removeprefix("mm: ").rstrip("\n")


# The spelling of the Go program


@pytest.mark.parametrize(
    ("given", "ours"),
    [
        ([], []),
        (["-config", "f.yaml", "hi"], ["--config", "f.yaml", "hi"]),
        (["-config=f.yaml"], ["--config=f.yaml"]),
        (["-acp"], ["acp"]),
        (["-acp", "-config", "f"], ["--config", "f", "acp"]),
        (["-c", "hi"], ["-c", "hi"]),
        (["--", "-config", "-acp"], ["--", "-config", "-acp"]),
        (["-acp", "--", "-acp"], ["acp", "--", "-acp"]),
        (["hi", "-configuration"], ["hi", "-configuration"]),
    ],
)
def test_options_may_be_spelled_as_in_go(given: list[str], ours: list[str]) -> None:
    assert go_spelling(given) == ours


# Mistakes on the command line


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--modle", "x"], "--modle"),
        (["--model"], "--model"),
        (["hello", "--frobnicate"], "--frobnicate"),
        (["--output", "xml"], "'xml' is not one of 'text', 'json', 'jsonl'"),
        (["--config", "missing.yaml"], "missing.yaml"),
        (["--cwd", "missing"], "missing"),
        (["--yolo", "--read-only", "hi"], "--yolo and --read-only exclude each other"),
        (["--yolo", "hi", "--read-only"], "--yolo and --read-only exclude each other"),
        (["-p", "a", "b"], "give the prompt once"),
        (["--max-turns", "0", "config", "show"], "--max-turns: max_turns is 0; the least is 1"),
        (["--max-turns", "many", "config", "show"], "max_turns is 'many'; it has to be a whole"),
        (["plugins", "lst"], "lst"),
        (["config", "show", "--orign"], "--orign"),
        (["profiles", "show", "gpt-os"], "did you mean gpt-oss?"),
        (["trust"], "there is no "),
        (["plgins"], "no command 'plgins'; did you mean `mm plugins`? To ask it: mm -p 'plgins'"),
        (["profile", "list"], "did you mean `mm profiles`?"),
        (
            ["--resume", "x", "-p", "hi", "--base-url", "http://127.0.0.1:9/v1", "--model", "m"],
            "'x'",
        ),
        (
            ["-c", "-p", "hi", "--base-url", "http://127.0.0.1:9/v1", "--model", "m"],
            "no session to",
        ),
        (["-p", " \n"], "the prompt is empty"),
        (["-p", "hi", "--base-url", "not an address"], "base_url is 'not an address'"),
        (["-p", "hi", "--provider", "nobody"], "there is no provider 'nobody'"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(
    arguments: list[str],
    reason: str,
    cwd: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert reason in failure(capfd, *arguments)


def test_plugins_without_a_command_shows_help(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["plugins"]) == 2
    assert "list" in capfd.readouterr().err


def test_a_folder_that_is_gone_is_told(
    cwd: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert "the current folder cannot be used: No such file" in failure(capfd, "config", "show")


# Settings from options and the environment


def shown(capfd: pytest.CaptureFixture[str], *arguments: str) -> dict[str, tuple[Any, str]]:
    assert run([*arguments, "config", "show", "--json"]) == 0
    values: Mapping[str, Any] = json.loads(capfd.readouterr().out)
    return {key: (entry["value"], entry["origin"]) for key, entry in values.items()}


def test_options_are_the_topmost_layer(
    cwd: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MM_MODEL", "from the environment")
    monkeypatch.setenv("MM_BASE_URL", "http://x/v1")
    found = shown(capfd, "--model", "m", "--max-turns", "3")
    assert found["model"] == ("m", "--model")
    assert found["max_turns"] == (3, "--max-turns")
    assert found["base_url"] == ("http://x/v1", "MM_BASE_URL")


@pytest.mark.parametrize(
    ("variables", "options", "policy"),
    [
        ({}, [], "ask"),
        ({}, ["--yolo"], "yolo"),
        ({}, ["--read-only"], "read-only"),
        ({"MM_YOLO": "1"}, [], "yolo"),
        ({"MM_READ_ONLY": "true"}, [], "read-only"),
        ({"MM_POLICY": "yolo"}, [], "yolo"),
        ({"MM_POLICY": "yolo"}, ["--read-only"], "read-only"),
        ({"MM_YOLO": "0"}, [], "ask"),
    ],
)
def test_the_policy_may_come_from_options_and_variables(
    variables: dict[str, str],
    options: list[str],
    policy: str,
    cwd: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert shown(capfd, *options)["policy"][0] == policy


def test_a_wrong_variable_is_told_by_its_name(
    cwd: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MM_MAX_TURNS", "lots")
    assert failure(capfd, "config", "show").startswith("MM_MAX_TURNS: max_turns is 'lots'")
    monkeypatch.delenv("MM_MAX_TURNS")
    monkeypatch.setenv("MM_YOLO", "perhaps")
    assert "--yolo" in failure(capfd, "config", "show")


def test_other_options_have_a_variable_too(
    cwd: Path,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "more.yaml").write_text("model: from a file\n")
    monkeypatch.setenv("MM_CONFIG", str(tmp_path / "more.yaml"))
    assert shown(capfd)["model"] == ("from a file", str(tmp_path / "more.yaml"))
    monkeypatch.delenv("MM_CONFIG")
    (cwd / "sub/.mm").mkdir(parents=True)
    (cwd / "sub/.mm/config.yaml").write_text("model: from a project\n")
    monkeypatch.setenv("MM_CWD", "sub")
    assert shown(capfd)["model"][0] == "from a project"


def test_every_option_but_the_prompt_has_a_variable() -> None:
    without = {option.name for option in OPTIONS if not option.envvar}
    settings = {"model", "provider", "base_url", "profile", "max_turns"}
    assert without == {"prompt", "version", *settings}


def test_a_project_is_trusted_by_a_command(cwd: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (cwd / ".mm").mkdir()
    (cwd / ".mm/config.yaml").write_text("policy: yolo\nmax_turns: 2\n")
    assert run(["config", "show"]) == 0
    err = capfd.readouterr().err
    assert err.count("\n") == 1
    assert "config.yaml is not trusted: policy ignored (read the file, then run `mm trust`)" in err
    assert run(["trust"]) == 0
    assert "trusted as it is now" in capfd.readouterr().out
    assert shown(capfd)["policy"] == ("yolo", str(cwd / ".mm/config.yaml"))
    (cwd / ".mm/config.yaml").write_text("policy: yolo\nmax_turns: 3\n")
    assert shown(capfd)["policy"] == ("ask", "default")


# Help, version, plugins


def test_help_works_with_broken_settings(cwd: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (cwd / ".mm").mkdir()
    (cwd / ".mm/config.yaml").write_text("modle: x\n")
    assert run(["--help"]) == 0
    out, err = capfd.readouterr()
    assert "--model" in out
    assert "plugins" in out
    assert "did you mean model?" in err


def test_help_lists_the_commands_of_plugins(cwd: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["-h"]) == 0
    out = capfd.readouterr().out
    for command in ("config", "plugins", "profiles", "trust"):
        assert f"\n  {command} " in out
    assert "PROMPT\n" not in out


def test_plugins_are_listed_without_importing_them(
    site: Site, cwd: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    site.install("broken_one", "raise RuntimeError")
    assert run(["plugins", "list"]) == 0
    out, err = capfd.readouterr()
    assert "broken_one" in out
    assert "mm-plugin-broken_one 1.2" in out
    assert err == ""


def test_a_broken_plugin_costs_one_warning(
    site: Site, cwd: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    site.install("broken_two", "raise RuntimeError('a\\n\\x1b[31mb')")
    assert run(["config", "show"]) == 0
    err = capfd.readouterr().err
    assert err.count("\n") == 1
    assert err.startswith(
        "mm: plugin broken_two is left out: RuntimeError: a \ufffd[31mb (`mm --no"
    )
    assert run(["--no-plugin", "broken_two", "config", "show"]) == 0
    assert capfd.readouterr().err == ""


COMMAND = """
import click
from minime_core import hookimpl

@click.command()
def explode():
    raise RuntimeError("a bug")

@hookimpl
def mm_register_commands(cli):
    cli.add_command(explode)
"""


def test_a_command_of_a_plugin_that_fails_is_its_fault(
    site: Site, cwd: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    site.install("exploding", COMMAND)
    assert run(["explode"]) == 4
    out, err = capfd.readouterr()
    assert out == ""
    assert err == (
        "mm: plugin exploding failed: RuntimeError: a bug "
        "(`mm --no-plugin exploding` goes without it)\n"
    )
    assert run(["--debug", "explode"]) == 4
    assert "Traceback" in capfd.readouterr().err


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["plugins", "list"]])
def test_what_needs_no_model_imports_nothing_heavy(arguments: list[str], home: Path) -> None:
    script = (
        "import sys\nfrom minime_core.cli.main import run\n"
        "assert run(sys.argv[1:]) == 0\nprint(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments], capture_output=True, text=True, cwd=home
    )
    heavy = {"httpx", "pydantic", "rich", "prompt_toolkit", "extism", "jsonschema", "acp"}
    assert done.returncode == 0, done.stderr
    assert heavy & {name.partition(".")[0] for name in done.stderr.split()} == set()


# One line for the user


@given(st.text(st.characters(codec=None, exclude_categories=())))
def test_what_is_said_is_one_line_that_steers_no_terminal(text: str) -> None:
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        say(text)
    line = said.getvalue()
    assert line.endswith("\n")
    assert line[:-1].isprintable()


@pytest.mark.parametrize("option", [max(o.opts, key=len) for o in OPTIONS])
def test_every_option_may_stand_behind_the_words(
    option: str, cwd: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["hello", "--help"]) == 0
    assert option in capfd.readouterr().out
