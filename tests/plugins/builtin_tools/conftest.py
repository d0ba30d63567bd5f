"""Makes the modules beside the tests importable, which pytest does not in its importlib mode."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tool_caller import Caller


@pytest.fixture
def tools(tmp_path: Path) -> Iterator[Caller]:
    """The built-in tools, in a folder of their own; what they left running is ended."""
    folder = tmp_path / "project"
    folder.mkdir()
    caller = Caller(folder)
    yield caller
    caller.end()
