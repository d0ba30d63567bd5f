from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from module_folder import Home

SHIPPED = ("calculate", "convert_units", "csv_query", "date_math", "json_query", "text_stats")


@contextmanager
def home_in(folder: Path) -> Iterator[Home]:
    with pytest.MonkeyPatch.context() as patch:
        for name in os.environ:
            if name.startswith(("MM_", "XDG_")):
                patch.delenv(name)
        home = Home(folder / "home")
        patch.setenv("HOME", str(home.folder))
        patch.chdir(home.project)
        yield home
        home.close()


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    """A home of its own with a project in it, and no variable that `mm` reads."""
    with home_in(tmp_path) as home:
        yield home


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """A home in which the shipped modules are enabled, for all tests of a file."""
    with home_in(tmp_path_factory.mktemp("shipped")) as home:
        home.settings["enabled"] = [*SHIPPED]
        yield home
