from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own, and no variable that `mm` reads."""
    for name in os.environ:
        if name.startswith(("MM_", "XDG_")):
            monkeypatch.delenv(name)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    return home


class Site:
    """A folder of installed distributions with plugins, on the path of this process."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.modules: list[str] = []

    def install(self, name: str, source: str, *, distribution: str = "", entry: str = "") -> None:
        """Install a plugin.

        name: of the module, and of the distribution and the entry point unless they are given.
        """
        distribution = distribution or f"mm-plugin-{name}"
        entry = entry or name
        (self.folder / f"{name}.py").write_text(source)
        self.modules.append(name)
        info = self.folder / f"{distribution.replace('-', '_')}_{name}-1.2.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.2\n"
        )
        (info / "entry_points.txt").write_text(f"[minime]\n{entry} = {name}\n")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    site = Site(folder)
    yield site
    for name in site.modules:
        sys.modules.pop(name, None)
