from __future__ import annotations

import os
from pathlib import Path

from minime_core.paths import config_folder, sessions_folder, state_folder


def test_files_of_the_user_are_below_their_home(home: Path) -> None:
    assert config_folder().is_relative_to(home)
    assert state_folder().is_relative_to(home)
    assert sessions_folder(Path("/work")).is_relative_to(home)


def test_a_project_with_a_folder_for_it_keeps_its_own_sessions(tmp_path: Path) -> None:
    (tmp_path / ".mm").mkdir()
    assert sessions_folder(tmp_path) == tmp_path / ".mm" / "sessions"


def test_sessions_of_different_folders_are_kept_apart(home: Path) -> None:
    folders = [
        "/a/b",
        "/a-b",
        "/a_b",
        "/",
        "/A/b",
        "/项目",
        "/文件",
        "/" + "x" * 200,
        "/" + "x" * 201,
    ]
    folders.append(os.fsdecode(b"/\xff"))
    assert len({sessions_folder(Path(folder)) for folder in folders}) == len(folders)


def test_a_folder_for_sessions_can_be_made(home: Path) -> None:
    for name in ("/" + "ü" * 120, "/..", os.fsdecode(b"/\xff\n"), "/"):
        sessions_folder(Path(name)).mkdir(parents=True)
