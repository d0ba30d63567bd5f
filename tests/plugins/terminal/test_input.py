"""What stands behind the input line: history, completion, files."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

from minime_terminal import file_names, history_file
from minime_terminal.completion import Completions
from minime_terminal.file_names import FileNames
from minime_terminal.history_file import HistoryFile

# History


def loaded(path: Path) -> list[str]:
    return list(HistoryFile(path).load_history_strings())


def test_questions_are_remembered_newest_first(tmp_path: Path) -> None:
    path = tmp_path / "state/history"
    history = HistoryFile(path)
    for text in ("one", "two\nlines", "three", "three", "\ud800"):
        history.store_string(text)
    assert loaded(path) == ["\ud800", "three", "two\nlines", "one"]
    assert path.stat().st_mode & 0o077 == 0


def test_of_a_large_file_only_the_end_is_read(tmp_path: Path) -> None:
    path = tmp_path / "history"
    lines = [json.dumps(f"question {number}") for number in range(60_000)]
    path.write_text("\n".join(lines) + "\n")
    found = loaded(path)
    assert found[0] == "question 59999"
    assert len(found) < 20_000
    assert all(text.startswith("question ") for text in found)


def test_a_file_that_grows_is_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history_file, "MAX_READ", 100)
    monkeypatch.setattr(history_file, "MAX_FILE", 1000)
    path = tmp_path / "history"
    history = HistoryFile(path)
    for number in range(200):
        history.store_string(f"question {number}")
    before = loaded(path)
    assert path.stat().st_size <= 100
    assert loaded(path)[0] == before[0] == "question 199"


@pytest.mark.parametrize("content", [b"", b'\xff\n{}\n5\n"ok"\n', b'\0\0\n"ok"\n', b'"ok"\n"cut'])
def test_a_damaged_history_is_read_as_far_as_it_can_be(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "history"
    path.write_bytes(content)
    assert loaded(path) == (["ok"] if content else [])


def test_a_history_that_cannot_be_written_costs_no_question(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    HistoryFile(tmp_path / "file/history").store_string("x")
    HistoryFile(tmp_path / "history").store_string("x" * history_file.MAX_ENTRY)
    assert loaded(tmp_path / "history") == []


# Files


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("src/main.py", "src/deep/domain.py", "README.md", "with space.txt", "esc\x1b.txt"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (tmp_path / "node_modules/left-pad").mkdir(parents=True)
    (tmp_path / "node_modules/left-pad/main.js").touch()
    return tmp_path


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)


def test_files_are_found_by_their_characters_best_first(folder: Path) -> None:
    names = FileNames(folder)
    assert names.matching("main", 9) == ["src/main.py", "src/deep/domain.py"]
    assert names.matching("smp", 9) == ["src/main.py", "src/deep/domain.py"]
    assert names.matching("READ", 9) == ["README.md"]
    assert names.matching("zzz", 9) == []
    assert names.matching("src", 1) == ["src/"]


def test_what_git_ignores_is_not_offered(folder: Path) -> None:
    git(folder, "init", "-q")
    (folder / ".gitignore").write_text("*.md\nnode_modules/\n")
    names = FileNames(folder)
    assert names.matching("README", 9) == []
    assert names.matching("left", 9) == []
    assert names.matching("main.py", 9)[0] == "src/main.py"


def test_no_command_of_a_repository_is_run(folder: Path) -> None:
    git(folder, "init", "-q")
    mark = folder / "ran"
    git(folder, "config", "core.fsmonitor", f"touch '{mark}'; false")
    assert FileNames(folder).matching("main.py", 9)
    assert not mark.exists()


def test_without_git_the_folders_of_tools_are_left_out(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    names = FileNames(folder)
    assert names.matching("left", 9) == []
    assert names.matching("main", 9)[0] == "src/main.py"


def test_names_that_would_steer_the_terminal_are_left_out(folder: Path) -> None:
    assert FileNames(folder).matching("esc", 9) == []


def test_typing_on_looks_only_at_what_was_found(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_names, "FRESH", 1e9)
    names = FileNames(folder)
    assert names.matching("m", 9)
    for query in ("ma", "main", "mainx", "ma"):
        assert names.matching(query, 9) == FileNames(folder).matching(query, 9)


# Completion


def offered(completions: Completions, text: str) -> list[str]:
    document = Document(text)
    found = completions.get_completions(document, CompleteEvent())
    return [text[: len(text) + one.start_position] + one.text for one in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/", ["/model ", "/new "]),
        ("/N", ["/new "]),
        ("$", ["$what-time "]),
        ("/new x", []),
        ("say /n", []),
        ("see @READ", ["see @README.md"]),
        ("@READ", ["@README.md"]),
        ("see (@READ", ["see (@README.md"]),
        ("mail me@READ", []),
        ("@with", ['@"with space.txt"']),
        ('@"with sp', ['@"with space.txt"']),
        ("@READ and", []),
    ],
)
def test_what_is_offered_depends_on_where_it_stands(
    folder: Path, text: str, expected: list[str]
) -> None:
    completions = Completions(folder)
    completions.offer({"/model": "", "/new": "", "$what-time": ""})
    assert offered(completions, text) == expected


def test_a_file_with_an_undecodable_name_is_not_offered(folder: Path) -> None:
    (folder / os.fsdecode(b"bad\xff.txt")).touch()
    assert FileNames(folder).matching("bad", 9) == []
