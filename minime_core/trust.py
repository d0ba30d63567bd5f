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

from minime_core.paths import PROJECT_FOLDER, state_folder
from minime_core.settings import Settings


def project_config(cwd: Path) -> Path:
    """Return where the project's settings are, whether or not there are any."""
    return cwd / PROJECT_FOLDER / "config.yaml"


def is_trusted(path: Path) -> bool:
    """Return whether the user trusts the file `path` as it is now."""
    known = trusted().get(str(path.resolve()))
    return known is not None and known == digest(path)


def without_guarded(
    values: Mapping[str, Any], sections: Collection[str]
) -> tuple[dict[str, Any], list[str]]:
    """Return `values` without guarded settings and plugins' `sections`, and the names of those."""
    closed = {field.name for field in fields(Settings) if field.metadata["guarded"]} | {*sections}
    guarded = sorted(closed.intersection(values))
    return {key: value for key, value in values.items() if key not in closed}, guarded


def trusted() -> dict[str, str]:
    """Return the digests of the files that the user trusts, by their real paths."""
    try:
        known = json.loads(trusted_file().read_bytes())
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}


def trusted_file() -> Path:
    """Return where that is kept."""
    return state_folder() / "trusted.json"


def digest(path: Path) -> str:
    """Return what a trusted file is known by."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
