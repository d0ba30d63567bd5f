"""A path that does not exist is answered with what it may have meant."""

from __future__ import annotations

import os

import pytest

from minime_builtin_tools import missing
from tool_caller import Caller


def nearest(tools: Caller, name: str) -> list[str]:
    text = tools("read_file", path=name).text
    start = f"[read_file: {name} does not exist. Nearest: "
    assert text.startswith(start), text
    return text.removeprefix(start).removesuffix(".]").split(", ")


def test_a_similar_name_beside_it_is_offered(tools: Caller) -> None:
    tools.put("src/settings.py", "")
    tools.put("src/other.md", "")
    assert nearest(tools, "src/setings.py") == ["src/settings.py"]


def test_the_same_name_elsewhere_comes_first(tools: Caller) -> None:
    tools.put("main.pyi", "")
    tools.put("src/app/main.py", "")
    assert nearest(tools, "main.py") == ["src/app/main.py", "main.pyi"]


def test_upper_and_lower_case_are_the_same(tools: Caller) -> None:
    tools.put("README.md", "")
    assert nearest(tools, "docs/readme.md") == ["README.md"]


def test_a_name_outside_of_the_working_folder_is_found_beside_it(tools: Caller) -> None:
    (tools.folder.parent / "notes.txt").write_text("")
    assert nearest(tools, "../note.txt") == ["../notes.txt"]


def test_what_is_made_by_tools_or_ignored_by_git_comes_last(tools: Caller) -> None:
    tools.put(".gitignore", "# made\ngenerated/\n*.log\n!kept\n")
    tools.put("generated/app.py", "")
    tools.put("node_modules/app.py", "")
    tools.put("zzz/deep/deeper/app.py", "")
    first, *others = nearest(tools, "app.py")
    assert first == "zzz/deep/deeper/app.py"
    assert sorted(others) == ["generated/app.py", "node_modules/app.py"]


def test_at_most_three_are_offered(tools: Caller) -> None:
    for number in range(9):
        tools.put(f"test_{number}.py", "")
    assert len(nearest(tools, "test_x.py")) == missing.MAX_NAMES


def test_with_nothing_near_the_folder_is_named(tools: Caller) -> None:
    tools.put("src/quite_different.txt", "")
    assert tools("read_file", path="src/no/z").text == (
        "[read_file: src/no/z does not exist. The nearest folder is src: list it with read_file.]"
    )


def test_edit_file_offers_the_same_and_tells_how_to_make_a_file(tools: Caller) -> None:
    tools.put("settings.py", "")
    result = tools("edit_file", path="setings.py", edits=[{"old": "a", "new": "b"}])
    assert result.text == (
        "[edit_file: setings.py does not exist. Nearest: settings.py. To make a new file, use "
        "write_file.]"
    )


def test_a_large_tree_is_not_searched_for_ever(
    tools: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(missing, "MAX_ENTRIES", 20)
    for number in range(30):
        tools.put(f"a{number:02}/settings.py", "")
    assert missing.nearest_files(tools.folder / "settings.py", tools.folder) == []
    monkeypatch.setattr(missing, "MAX_ENTRIES", 40)
    assert len(missing.nearest_files(tools.folder / "settings.py", tools.folder)) == 3


def test_links_that_form_a_loop_are_not_followed(tools: Caller) -> None:
    (tools.folder / "loop").symlink_to(".")
    tools.put("sub/app.py", "")
    assert nearest(tools, "app.py") == ["sub/app.py"]


def test_names_that_would_break_the_line_are_not_offered(tools: Caller) -> None:
    tools.put("set\ntings.py", "")
    tools.put("settings.py", "")
    assert nearest(tools, "setting.py") == ["settings.py"]


def test_a_gitignore_that_is_a_pipe_does_no_harm(tools: Caller) -> None:
    os.mkfifo(tools.folder / ".gitignore")
    tools.put("app.py", "")
    assert nearest(tools, "ap.py") == ["app.py"]
