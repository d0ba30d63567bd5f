"""`mm completion`, in the shells themselves."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from minime_core.testing import Mm, Site, text
from pty_mm import TAB, PtyProgram

SHELLS = ("bash", "zsh", "fish")
DRIVER = r"""
source "$1"
COMP_WORDS=("${@:2}")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_mm_completion mm
printf '%s\n' "${COMPREPLY[@]}"
"""
"""Does what bash does when TAB is pressed behind the last of the words."""

Complete = Callable[..., list[str]]


def shell(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        # CI installs them all: see .ci/run.
        assert os.environ.get("MM_SHELLS") != "required", f"{name} is not installed"
        pytest.skip(f"{name} is not installed")
    return path


@pytest.fixture
def bin_folder(tmp_path: Path) -> Path:
    """A folder for PATH with `mm` in it."""
    folder = tmp_path / "bin"
    folder.mkdir()
    mm = folder / "mm"
    program = "from minime_core.cli.main import main; main()"
    mm.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -c "{program}" "$@"\n')
    mm.chmod(0o755)
    return folder


@pytest.fixture
def script(mm: Mm, tmp_path: Path) -> Callable[[str], Path]:
    """A function that writes the script for a shell, as `mm completion` prints it."""

    def write(name: str) -> Path:
        done = mm.run("completion", name)
        assert (done.code, done.err) == (0, "")
        path = tmp_path / f"completion.{name}"
        path.write_text(done.out)
        return path

    return write


@pytest.fixture
def complete(mm: Mm, bin_folder: Path, script: Callable[[str], Path]) -> Complete:
    """A function that returns what bash offers behind some words; nothing else is printed."""
    path = script("bash")

    def complete(*words: str) -> list[str]:
        driver = [shell("bash"), "--norc", "-c", DRIVER, "driver", str(path), "mm", *words]
        python_path = os.pathsep.join([str(mm.site.folder if mm.site else ""), *sys.path])
        environment = {
            **os.environ,
            "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": python_path,
        }
        done = subprocess.run(
            driver, cwd=mm.cwd, env=environment, capture_output=True, text=True, timeout=60
        )
        assert done.stderr == ""
        return done.stdout.split()

    return complete


# What is offered


def test_commands_and_options_are_completed(complete: Complete) -> None:
    assert complete("prof") == ["profiles"]
    assert complete("profiles", "s") == ["show"]
    assert complete("models", "test", "--js") == ["--json"]
    assert complete("--read") == ["--read-only"]
    assert complete("completion", "") == ["bash", "zsh", "fish"]


def test_profiles_providers_and_plugins_are_completed(complete: Complete) -> None:
    assert complete("--profile", "qwen3-2") == ["qwen3-27b"]
    assert complete("profiles", "show", "gpt") == ["gpt-oss"]
    assert complete("--provider", "l") == ["llamacpp", "llamaswap", "lmstudio"]
    assert complete("plugins", "disable", "com") == ["commands"]
    assert complete("--no-plugin", "wasm") == ["wasm_host"]


def test_skills_and_tools_are_completed(complete: Complete) -> None:
    assert complete("skills", "add", "greet") == ["greetings"]
    assert complete("skills", "show", "code") == ["code-review"]
    assert complete("tools", "show", "calc") == ["calculate"]
    assert complete("tools", "test", "csv") == ["csv_query"]


def test_sessions_and_their_models_are_completed_the_newest_first(
    mm: Mm, complete: Complete
) -> None:
    for model in ("first-model", "other-model"):
        mm.server.enqueue(text("Hi"))
        mm.run("--model", model, "-p", "hello")
    ids = sorted((path.stem for path in mm.cwd.glob(".mm/sessions/*.jsonl")), reverse=True)
    assert len(ids) == 2
    asked = len(mm.server.requests)
    assert complete("--resume", "") == complete("sessions", "rm", "") == ids
    assert complete("sessions", "show", ids[1][:-1]) == [ids[1]]
    assert complete("--model", "first") == ["first-model"]
    assert complete("models", "test", "other") == ["other-model"]
    # No server is asked for any of it.
    assert len(mm.server.requests) == asked


def test_what_a_shell_would_run_is_never_offered(mm: Mm, complete: Complete) -> None:
    sessions = mm.cwd / ".mm" / "sessions"
    sessions.mkdir()
    names = ("$(touch x)", "`touch x`", "a b", "x;y", "-rf", "*", "a\nplain,evil", "good-1")
    for name in names:
        (sessions / f"{name}.jsonl").write_text("{}\n")
    assert complete("--resume", "") == ["good-1"]


def test_what_waits_for_ever_or_is_no_session_is_passed_over(mm: Mm, complete: Complete) -> None:
    sessions = mm.cwd / ".mm" / "sessions"
    sessions.mkdir()
    os.mkfifo(sessions / "20260101-000000-pipe.jsonl")
    (sessions / "20260102-000000-list.jsonl").write_text("[1]\n")
    (sessions / "20260103-000000-text.jsonl").write_bytes(b"\xff\x00")
    meta = '{"kind": "meta", "values": {"model": "real"}}\n'
    (sessions / "20250101-000000-meta.jsonl").write_text(meta)
    assert complete("--model", "re") == ["real"]


def test_broken_settings_and_plugins_print_nothing(
    mm: Mm, mm_site: Site, complete: Complete
) -> None:
    (mm.cwd / ".mm" / "config.yaml").write_text("max_token: 5\n")
    mm_site.install("noisy", "import os\nos.write(2, b'noise')\nprint('noise')\nraise OSError")
    assert complete("plugins", "disable", "noi") == ["noisy"]
    assert complete("prof") == ["profiles"]
    assert complete("--profile", "qwen") == []
    assert complete("--yolo", "--read-only", "mod") == []
    assert complete("modles", "te") == []


# In the shells


@pytest.mark.parametrize("name", SHELLS)
def test_the_script_is_one_that_the_shell_can_read(
    name: str, script: Callable[[str], Path]
) -> None:
    done = subprocess.run([shell(name), "-n", script(name)], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_fish_completes(mm: Mm, bin_folder: Path, script: Callable[[str], Path]) -> None:
    path = f"{bin_folder}{os.pathsep}{os.environ['PATH']}"
    asking = f'source {script("fish")}; complete --do-complete "mm profiles show gpt"'
    done = subprocess.run(
        [shell("fish"), "--no-config", "-c", asking],
        cwd=mm.cwd,
        env={**os.environ, "PATH": path, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.stdout, done.stderr) == ("gpt-oss\n", "")


@pytest.mark.parametrize(
    ("name", "options", "prepare"),
    [
        ("bash", ["--norc", "--noprofile", "-i"], ""),
        ("zsh", ["-f", "-i"], "autoload -Uz compinit; compinit -u -D; "),
    ],
)
def test_the_tab_key_completes(
    name: str,
    options: list[str],
    prepare: str,
    mm: Mm,
    bin_folder: Path,
    script: Callable[[str], Path],
) -> None:
    env = {
        "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(sys.path),
        "PS1": "ready> ",
        "INPUTRC": "/dev/null",
    }
    command = [shell(name), *options]
    with PtyProgram(command, cwd=mm.cwd, env=env, columns=120) as terminal:
        terminal.see("ready>")
        terminal.ask(f"{prepare}source {script(name)}; echo do''ne")
        terminal.see("done")
        terminal.type(f"mm profiles show gpt{TAB}")
        terminal.see("mm profiles show gpt-oss")
