"""`mm doctor`: what is wrong is found, with its cure, whatever is broken."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path
from typing import Any

import pytest

from minime_commands.house_findings import is_allowed
from minime_commands.machine_findings import terminal
from minime_core.testing import Mm, Site, status
from pty_mm import PtyMm
from quick_mm import QuickMm

Findings = dict[str, list[dict[str, Any]]]


@pytest.fixture
def mm(mm: Mm, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Mm:
    return QuickMm(mm, capsys, monkeypatch)


def examined(mm: Mm, *options: str, **others: Any) -> tuple[int, Findings]:
    """Return the exit code, and the findings by area."""
    done = mm.run(*options, "doctor", "--json", **others)
    told = json.loads(done.out)
    found: Findings = {}
    for finding in told["findings"]:
        found.setdefault(finding["area"], []).append(finding)
    levels = {finding["level"] for finding in told["findings"]}
    assert told["ok"] is ("fault" not in levels) is (done.code == 0)
    assert all(finding["cure"] or finding["level"] != "warn" for finding in told["findings"])
    return done.code, found


def only(found: Findings, area: str) -> tuple[str, str, str]:
    (finding,) = found[area]
    return finding["level"], finding["text"], finding["cure"]


def test_where_all_is_well_the_exit_code_is_0(mm: Mm) -> None:
    mm.server.routes["GET /props"]["default_generation_settings"]["n_ctx"] = 16384
    code, found = examined(mm, "--model", "qwen3-27b")
    assert code == 0
    assert {f["level"] for findings in found.values() for f in findings} == {"ok"}
    assert only(found, "model")[1] == "qwen3-27b: configured"
    assert only(found, "window")[1] == "16,384 tokens (/props)"
    assert only(found, "tools")[1] == "rendered by the chat template"
    assert only(found, "profile")[1].startswith("qwen3-27b: ")
    assert mm.server.chat_requests == []


def test_a_server_that_is_down_is_a_fault_with_the_command_that_starts_it(mm: Mm) -> None:
    mm.server.stop()
    code, found = examined(mm)
    assert code == 1
    level, text, _ = only(found, "server")
    assert level == "fault"
    assert "nothing listens there; start it: llama-server" in text
    # All that needs no server is looked at all the same.
    assert only(found, "plugins")[0] == only(found, "state folder")[0] == "ok"


def test_a_key_that_is_missing_is_a_fault(mm: Mm) -> None:
    mm.server.routes["GET /props"] = status(401, "no key")
    code, found = examined(mm)
    assert code == 1
    assert "wants a key: put it into an environment variable" in only(found, "server")[1]


def test_a_window_that_is_small_or_unknown_is_a_warning_with_its_cure(mm: Mm) -> None:
    code, found = examined(mm)
    assert code == 0
    level, text, cure = only(found, "window")
    assert (level, text) == ("warn", "4,096 tokens (/props) are few")
    assert "`llama-server -c 16384` sets it" in cure
    mm.server.routes["GET /props"]["default_generation_settings"] = {}
    _, found = examined(mm)
    assert only(found, "window")[2].startswith("set context_window")


def test_tools_that_the_template_drops_are_a_fault_only_when_they_are_sent(mm: Mm) -> None:
    mm.server.routes["GET /props"]["chat_template_caps"]["supports_tools"] = False
    assert only(examined(mm)[1], "tools") == ("ok", "as text in the prompt", "")
    code, found = examined(mm, env={"MM_TOOL_MODE": "native"})
    level, _, cure = only(found, "tools")
    assert (code, level) == (1, "fault")
    assert "tool_mode" in cure


def test_a_model_without_a_profile_is_a_warning(mm: Mm) -> None:
    level, text, cure = only(examined(mm)[1], "profile")
    assert (level, text) == ("warn", "none matches 'm'")
    assert "mm profiles list" in cure


@pytest.mark.parametrize("broken", ["max_tokens: many\n", "max_token: 5\n", "a: [", "\x00"])
def test_broken_settings_are_a_fault_and_hide_nothing_else(mm: Mm, broken: str) -> None:
    (mm.cwd / ".mm" / "config.yaml").write_text(broken)
    code, found = examined(mm)
    assert code == 1
    level, text, cure = only(found, "settings")
    assert level == "fault"
    assert text.startswith(str(mm.cwd / ".mm" / "config.yaml"))
    assert "mm config check" in cure
    assert only(found, "plugins")[0] == "ok"
    # What the command line says is looked at all the same.
    assert mm.server.base_url in only(found, "server")[1]


def test_a_broken_profile_is_a_fault(mm: Mm, mm_home: Path) -> None:
    folder = mm_home / ".config/mini-me/profiles"
    folder.mkdir(parents=True)
    (folder / "mine.yaml").write_text("extends: nowhere\n")
    code, found = examined(mm)
    level, text, cure = only(found, "profiles")
    assert (code, level) == (1, "fault")
    assert "there is no profile 'nowhere'" in text
    assert "mm profiles check mine" in cure


def test_plugins_that_are_broken_or_for_another_version_are_told(mm: Mm, mm_site: Site) -> None:
    mm_site.install("broken", "raise RuntimeError('not today')")
    mm_site.install("ancient", "", requires=["mini-me>=0.0,<0.1"])
    code, found = examined(mm)
    assert code == 1
    told = {finding["text"].split()[0]: finding for finding in found["plugins"]}
    assert told["broken"]["level"] == "fault"
    assert "RuntimeError: not today" in told["broken"]["text"]
    assert "mm plugins disable broken" in told["broken"]["cure"]
    assert told["ancient"]["level"] == "warn"
    assert "was made for mini-me >=0.0,<0.1" in told["ancient"]["text"]
    code, found = examined(mm, "--no-plugin", "broken", "--no-plugin", "ancient")
    assert code == 0
    assert only(found, "plugins")[1].endswith("disabled: ancient, broken")


def test_without_providers_there_is_no_model_and_a_report(mm: Mm) -> None:
    code, found = examined(mm, "--no-plugin", "providers")
    assert code == 1
    assert only(found, "model")[1].startswith("no model")


@pytest.mark.parametrize(
    ("requirement", "version", "fits"),
    [
        (">=0.1,<0.2", "0.1.0", True),
        (">=0.1,<0.2", "0.2.0", False),
        ("==0.1", "0.1.0", True),
        ("!=0.1", "0.1.0", False),
        (">0.1", "0.1.0", False),
        ("<=1", "1.0.1", False),
        ("~=0.1", "9.0", True),
        ("", "0.1.0", True),
    ],
)
def test_what_a_plugin_was_made_for_is_compared_by_numbers(
    requirement: str, version: str, fits: bool
) -> None:
    assert is_allowed(requirement, version) is fits


def test_a_folder_that_cannot_be_made_is_a_fault(mm: Mm, mm_home: Path) -> None:
    (mm_home / ".local").write_text("a file")
    code, found = examined(mm)
    assert code == 1
    for area in ("state folder", "data folder"):
        level, text, cure = only(found, area)
        assert level == "fault"
        assert text.endswith(f"{mm_home}/.local is a file")
        assert cure == f"move {mm_home}/.local away"
    assert only(found, "config folder")[0] == only(found, "sessions folder")[0] == "ok"


def test_a_folder_that_is_closed_is_a_fault(
    mm: Mm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    if os.geteuid() == 0:
        closed = Path("/proc")  # where root cannot write either
    monkeypatch.setenv("XDG_STATE_HOME", str(closed / "here"))
    code, found = examined(mm)
    assert code == 1
    assert f"{closed} cannot be written to" in only(found, "state folder")[1]


def test_a_project_that_is_not_trusted_is_a_warning_until_it_is(mm: Mm) -> None:
    assert only(examined(mm)[1], "trust")[0] == "ok"
    (mm.cwd / ".mm" / "config.yaml").write_text("policy: yolo\n")
    level, _, cure = only(examined(mm)[1], "trust")
    assert level == "warn"
    assert "mm trust" in cure
    mm.run("trust")
    assert only(examined(mm)[1], "trust")[0] == "ok"


def test_an_encoding_without_most_characters_is_a_warning() -> None:
    for encoding, level in (("latin-1", "warn"), ("ascii", "warn"), ("UTF-8", "ok")):
        first, *_ = terminal(io.TextIOWrapper(io.BytesIO(), encoding=encoding), {})
        assert (first.area, first.level) == ("encoding", level)
        assert ("UTF-8" in first.cure) is (level == "warn")


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("env", "columns", "told"),
    [
        ({"TERM": "xterm", "COLORTERM": "truecolor"}, 80, "TERM=xterm, truecolor"),
        ({"TERM": None}, 80, "TERM is not set"),
        ({"TERM": "dumb"}, 80, "TERM=dumb: plain lines, no colour"),
        ({"NO_COLOR": "1"}, 80, "no colour since NO_COLOR is set"),
        ({"COLUMNS": None}, 30, "30 columns"),
    ],
)
def test_the_terminal_is_looked_at(
    mm: Mm, env: dict[str, str | None], columns: int, told: str
) -> None:
    mm.server.stop()
    with PtyMm([*mm.options, "doctor"], cwd=mm.cwd, env=env, columns=columns) as pty:
        assert pty.end() == 1
        assert told in pty.written.decode()


# What plugins find


def test_a_skill_that_is_broken_is_a_warning(mm: Mm) -> None:
    assert only(examined(mm)[1], "skills")[0] == "ok"
    folder = mm.cwd / ".mm" / "skills" / "mine"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: [\n---\n")
    for finding in examined(mm)[1]["skills"]:
        assert finding["level"] == "warn"
        assert finding["text"].startswith(str(folder / "SKILL.md"))
        assert "mm skills check" in finding["cure"]


def test_a_module_that_cannot_be_used_is_a_warning(mm: Mm) -> None:
    assert only(examined(mm)[1], "wasm tools")[0] == "ok"
    folder = mm.cwd / ".mm" / "tools"
    folder.mkdir(parents=True)
    (folder / "mine.wasm").write_bytes(b"not a module")
    code, found = examined(mm)
    assert code == 0
    broken, count = found["wasm tools"]
    assert broken["level"] == "warn"
    assert broken["text"].startswith("mine cannot be used: ")
    assert str(folder / "mine.wasm") in broken["cure"]
    assert count["level"] == "ok"


def test_a_plugin_that_fails_to_look_hides_nothing(mm: Mm, mm_site: Site) -> None:
    mm_site.install(
        "clumsy",
        "from minime_core import hookimpl\n\n@hookimpl\ndef mm_findings():\n    1 / 0\n",
    )
    done = mm.run("doctor")
    assert done.code == 0
    assert "plugin clumsy failed in mm_findings" in done.err
    assert "config folder" in done.out
