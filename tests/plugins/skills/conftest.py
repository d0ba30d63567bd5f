from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def project(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with nothing in it."""
    project = tmp_path / "project"
    project.mkdir()
    monkeypatch.chdir(project)
    return project
