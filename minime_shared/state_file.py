"""A JSON file in the user's state folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from minime_core.errors import UserError


def read_state(file: Path) -> dict[str, Any]:
    """Return what a file holds; nothing when it is missing or damaged."""
    try:
        return mapping(json.loads(file.read_bytes()))
    except (OSError, ValueError, RecursionError):
        return {}


def write_state(file: Path, values: object) -> None:
    """Replace a file as a whole, readable for its owner alone. Raises UserError."""
    new = file.with_suffix(".new")
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        new.touch(mode=0o600)
        new.write_text(json.dumps(values, indent=1))
        new.replace(file)
    except OSError as error:
        raise UserError(f"cannot note that in {file}: {error}") from error


def mapping(value: object) -> dict[str, Any]:
    """Return `value` if it is a mapping, else an empty one."""
    return value if isinstance(value, dict) else {}
