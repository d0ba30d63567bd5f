"""Where the data folders that ship with Mini Me are: the one place that knows."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

_CORE = Path(__file__).parent


def bundled(kind: Literal["profiles", "skills", "wasm_tools"]) -> Path:
    """Return the folder of shipped `kind`: inside an installed wheel, else beside this package."""
    installed = _CORE / "_bundled" / kind
    return installed if installed.is_dir() else _CORE.parent / kind
