from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from minime_core.cli.main import run
from minime_core.testing.fault_server import FaultServer


@pytest.fixture
def server(project: Path) -> Iterator[FaultServer]:
    with FaultServer(model="qwen3-8b", n_ctx=8192) as server:
        yield server
        assert server.chat_requests == []


def prompt(server: FaultServer, *arguments: str) -> int:
    return run(["--provider", "llamacpp", "--base-url", server.base_url, "prompt", *arguments])


def test_all_that_is_sent_is_shown_by_part_with_its_size(
    server: FaultServer, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "AGENTS.md").write_text("Use tabs.")
    assert prompt(server, "--json") == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["part"] for row in rows] == [
        "role", "evidence", "files", "rules", "background jobs", "AGENTS.md",
        "tool: bash", "tool: edit_file", "tool: read_file", "tool: write_file",
    ]  # fmt: skip
    assert all(row["characters"] == len(row["text"]) for row in rows)
    assert prompt(server) == 0
    out = capsys.readouterr().out
    assert all(row["text"] in out for row in rows)
    total = sum(row["characters"] for row in rows)
    assert out.splitlines()[-1].split() == ["all", str(total), str(total // 4)]


def test_the_sizes_alone_are_shown(server: FaultServer, capsys: pytest.CaptureFixture[str]) -> None:
    assert prompt(server, "--sizes") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["part", "characters", "tokens", "(about)"]
    assert lines[1].startswith("role ")


def test_a_prompt_of_ones_own_is_shown_as_such(
    server: FaultServer, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / ".mm").mkdir()
    (project / ".mm/config.yaml").write_text("system: Be Bob.\nthinking: off\n")
    assert prompt(server, "--json") == 0
    first = json.loads(capsys.readouterr().out)[0]
    assert (first["part"], first["text"]) == ("system (your own)", "Be Bob.\n\n/no_think")


def test_in_text_tool_mode_the_tools_are_a_part_of_the_system_prompt(
    server: FaultServer, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / ".mm").mkdir()
    (project / ".mm/config.yaml").write_text("tool_mode: text\n")
    assert prompt(server, "--json") == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["part"] for row in rows if row["part"].startswith("tool")] == []
    assert rows[-1]["part"] == "system (of other plugins)"
    assert "edit_file" in rows[-1]["text"]


def test_nothing_is_written_to_disk(server: FaultServer, home: Path, project: Path) -> None:
    (project / ".mm").mkdir()
    assert prompt(server) == 0
    assert [path for path in project.rglob("*") if path.is_file()] == []
