"""Fixtures for tests of plugins. Opt in, in the `conftest.py` at the top of the tests:

pytest_plugins = ["minime_core.testing.pytest_plugin"]
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from .command import Mm
from .fault_server import FaultServer
from .site import Site


@pytest.fixture
def mm_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own for `mm`, and no variable that it reads."""
    for name in os.environ:
        if name.startswith(("MM_", "XDG_")):
            monkeypatch.delenv(name)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    return home


@pytest.fixture
def fault_server() -> Iterator[FaultServer]:
    """A model server that follows a script; what goes wrong on its side fails the test."""
    with FaultServer() as server:
        yield server
    assert server.problems == []


@pytest.fixture
def mm_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """A folder of installed plugins, for this process and for the fixture `mm`."""
    site = Site(tmp_path / "site")
    monkeypatch.syspath_prepend(str(site.folder))
    yield site
    for name in site.modules:
        sys.modules.pop(name, None)


@pytest.fixture
def mm(mm_home: Path, mm_site: Site, fault_server: FaultServer, tmp_path: Path) -> Mm:
    """`mm` as a process: a home and a project of its own, the fault server as its model."""
    project = tmp_path / "project"
    (project / ".mm").mkdir(parents=True)
    return Mm(project, fault_server, mm_site)
