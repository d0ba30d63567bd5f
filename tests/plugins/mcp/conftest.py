from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import bare_mcp_server
from minime_core.config import Config, Layer

Configured = Callable[..., dict[str, Any]]


@pytest.fixture
def bare(home: Path, tmp_path: Path) -> Configured:
    """Return the settings of a server that misbehaves in a way."""

    def settings(mode: str = "", **more: Any) -> dict[str, Any]:
        args = [str(bare_mcp_server.__file__), mode, str(tmp_path)]
        return {"mcp": {"servers": {"bare": {"command": sys.executable, "args": args}}, **more}}

    return settings


@pytest.fixture
def config() -> Callable[[dict[str, Any]], Config]:
    return lambda values: Config([Layer("test", values)], ["mcp"])
