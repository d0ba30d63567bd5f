"""Arguments that are held to what the question names, for models too small to copy a name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from minime_builtin_tools.read_tool import paths_named
from minime_core.testing import Mm, text
from minime_core.tools import ToolContext

SETTINGS = {"tool_mode": "text", "tools": ["read_file"], "enforce_choices": True}


@pytest.fixture
def ask(mm: Mm) -> Any:
    """Return a function that asks, and gives the schemas that the server had to enforce."""
    (mm.cwd / "notes.md").write_text("Water the roses.\n")

    def ask(question: str, *replies: str, **settings: Any) -> list[str]:
        config = mm.cwd / "config.json"
        config.write_text(json.dumps(SETTINGS | settings))
        mm.server.enqueue(*map(text, replies))
        done = mm.run("--config", str(config), "-p", question)
        assert done.code == 0, done
        return [json.dumps(r.json.get("response_format", {})) for r in mm.server.chat_requests]

    return ask


READ = '{"tool": "read_file", "arguments": {"path": "notes.md"}}'
ANSWER = '{"answer": "Here it is."}'


def test_only_what_is_named_can_be_read_and_only_once(ask: Any) -> None:
    first, second = ask("Read notes.md", READ, ANSWER)
    assert '"enum": ["notes.md"]' in first
    # What is left is to answer.
    assert "read_file" not in second


def test_without_the_setting_any_path_can_be_written(ask: Any) -> None:
    first, second = ask("Read notes.md", READ, ANSWER, enforce_choices=False)
    assert "notes.md" not in first
    assert "read_file" in second


def test_a_model_gets_the_tools_that_are_set_alone(mm: Mm, ask: Any) -> None:
    ask("Hello", ANSWER, tools=["read_file", "bash"])
    system = mm.server.chat_requests[0].json["messages"][0]["content"]
    assert "read_file" in system
    assert "bash" in system
    assert "write_file" not in system


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("Show me README.md", ["README.md"]),
        ("What is in `src/main.py`, and in (docs/a.md)?", ["src/main.py", "docs/a.md"]),
        ("open notes", ["notes"]),
        ("List all files", ["."]),
        ("Read a.txt, then a.txt.", ["a.txt"]),
        ("What is in ~?", ["~"]),
        ("read ../up.txt", ["../up.txt"]),
        ("", ["."]),
    ],
)
def test_paths_are_told_from_other_words(question: str, named: list[str], tmp_path: Path) -> None:
    (tmp_path / "notes").touch()
    assert paths_named(question, ToolContext(cwd=tmp_path, max_output=2_000)) == named
