"""Which projects the user trusts: their `.mm/config.yaml` may then set guarded settings.

Trust is for a file as it was seen: a change of it, for instance by a pull, withdraws trust.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from minime_core.errors import UserError
from minime_core.paths import PROJECT_FOLDER, state_folder
from minime_core.settings import Settings


def project_config(cwd: Path) -> Path:
    """Return where the project's settings are, whether or not there are any."""
    return cwd / PROJECT_FOLDER / "config.yaml"


def is_trusted(path: Path) -> bool:
    """Return whether the user trusts the file `path` as it is now."""
    digest = _trusted().get(str(path.resolve()))
    return digest is not None and digest == _digest(path)


def trust(path: Path, *, trusted: bool = True) -> None:
    """Trust the file as it is now, or no longer. Raises UserError."""
    known = _trusted()
    known.pop(str(path.resolve()), None)
    file = _file()
    temporary = file.with_suffix(".new")
    try:
        if trusted:
            known[str(path.resolve())] = _digest(path)
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        temporary.write_text(json.dumps(known, indent=1))
        temporary.replace(file)
    except OSError as error:
        raise UserError(f"cannot note that in {file}: {error}") from error


def without_guarded(
    values: Mapping[str, Any], sections: Collection[str]
) -> tuple[dict[str, Any], list[str]]:
    """Return `values` without guarded settings and plugins' `sections`, and the names of those."""
    closed = {field.name for field in fields(Settings) if field.metadata["guarded"]} | {*sections}
    guarded = sorted(closed.intersection(values))
    return {key: value for key, value in values.items() if key not in closed}, guarded


def _trusted() -> dict[str, str]:
    try:
        known = json.loads(_file().read_bytes())
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}


def _file() -> Path:
    return state_folder() / "trusted.json"


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
