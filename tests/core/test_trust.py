from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from minime_commands.trust import set_trust
from minime_core.errors import UserError
from minime_core.paths import state_folder
from minime_core.trust import is_trusted, without_guarded


@pytest.fixture
def file(home: Path, tmp_path: Path) -> Path:
    file = tmp_path / "config.yaml"
    file.write_text("policy: yolo\n")
    return file


def test_nothing_is_trusted_at_first(file: Path) -> None:
    assert not is_trusted(file)


def test_a_trusted_file_stays_so_until_it_changes(file: Path) -> None:
    set_trust(file, True)
    assert is_trusted(file)
    file.write_text("policy: yolo\nallow: [bash]\n")
    assert not is_trusted(file)
    file.write_text("policy: yolo\n")
    assert is_trusted(file)


def test_trust_can_be_taken_back(file: Path) -> None:
    set_trust(file, True)
    set_trust(file, False)
    assert not is_trusted(file)


def test_trust_is_for_one_file(file: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.yaml"
    other.write_bytes(file.read_bytes())
    set_trust(file, True)
    assert not is_trusted(other)


def test_trust_is_for_the_file_behind_a_link(file: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.yaml"
    link.symlink_to(file)
    set_trust(link, True)
    assert is_trusted(file)
    link.unlink()
    link.write_text("policy: yolo\n")
    assert not is_trusted(link)


@pytest.mark.parametrize("content", ["", "{", "[]", "null", '{"a": 1}', "\0"])
def test_a_broken_list_of_trusted_files_trusts_nothing_and_is_replaced(
    file: Path, content: str
) -> None:
    state_folder().mkdir(parents=True)
    (state_folder() / "trusted.json").write_text(content)
    assert not is_trusted(file)
    set_trust(file, True)
    assert is_trusted(file)


def test_names_that_are_not_utf8_can_be_trusted(home: Path, tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"\xff")
    folder.mkdir()
    (folder / "config.yaml").write_text("")
    set_trust(folder / "config.yaml", True)
    assert is_trusted(folder / "config.yaml")


def test_a_state_folder_that_cannot_be_written_is_told_in_one_line(file: Path, home: Path) -> None:
    state_folder().parent.mkdir(parents=True)
    state_folder().write_text("a file")
    with pytest.raises(UserError, match=r"cannot note that in .*trusted\.json") as error:
        set_trust(file, True)
    assert "\n" not in str(error.value)


def test_a_file_that_is_gone_is_told(file: Path) -> None:
    file.unlink()
    assert not is_trusted(file)
    with pytest.raises(UserError, match="No such file"):
        set_trust(file, True)


def test_only_the_user_may_see_what_they_trust(file: Path) -> None:
    set_trust(file, True)
    assert state_folder().stat().st_mode & 0o077 == 0
    assert [*json.loads((state_folder() / "trusted.json").read_text())] == [str(file.resolve())]


def test_guarded_settings_and_sections_are_taken_out_and_named() -> None:
    values = {"model": "m", "policy": "yolo", "guards": {}, "base_url": "x"}
    assert without_guarded(values, {"guards", "context"}) == (
        {"model": "m"},
        ["base_url", "guards", "policy"],
    )
