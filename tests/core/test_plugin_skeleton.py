"""`mm plugins new`: the project that it writes works as it is."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from minime_core.errors import UserError
from minime_core.testing import Mm
from minime_core.testing.skeleton import write_skeleton


@pytest.mark.full
def test_the_tests_of_a_new_project_pass(mm: Mm) -> None:
    done = mm.run("plugins", "new", "word-count")
    assert done.code == 0, done
    project = mm.cwd / "mm-plugin-word-count"
    tests = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=project,
        capture_output=True,
        text=True,
    )
    assert (tests.returncode, "2 passed" in tests.stdout) == (0, True), tests.stdout


def test_it_says_what_it_is_made_for(tmp_path: Path) -> None:
    written = [*write_skeleton("two_words", tmp_path)]
    project = tomllib.loads((tmp_path / "mm-plugin-two-words" / "pyproject.toml").read_text())
    assert project["project"]["name"] == "mm-plugin-two-words"
    assert project["project"]["entry-points"]["minime"] == {"two_words": "mm_plugin_two_words"}
    assert project["project"]["dependencies"] == ["mini-me>=0.1,<0.2"]
    assert all("$" not in path.read_text() for path in written)


@pytest.mark.parametrize("name", ["", "Big", "a b", "../x", "-x", "x--y", "1x", "ü"])
def test_a_name_that_cannot_be_one_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be a plugin's name"):
        [*write_skeleton(name, tmp_path)]
    assert [*tmp_path.iterdir()] == []


def test_a_project_that_is_there_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "mm-plugin-x").mkdir()
    with pytest.raises(UserError, match="left as it is"):
        [*write_skeleton("x", tmp_path)]
    assert [*(tmp_path / "mm-plugin-x").iterdir()] == []
