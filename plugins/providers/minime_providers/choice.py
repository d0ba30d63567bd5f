"""The model that the user chose when several could be had: asked once, remembered."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from minime_core.models import ModelRef
from minime_core.paths import state_folder

_KEYS = ("provider", "base_url", "model")


def remember(ref: ModelRef) -> None:
    """Remember the choice of `ref`. A disk that is full costs the memory, not the session."""
    file = _file()
    temporary = file.with_suffix(".new")
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        temporary.write_text(json.dumps({key: getattr(ref, key) for key in _KEYS}))
        temporary.replace(file)


def remembered(refs: Sequence[ModelRef]) -> ModelRef | None:
    """Return the one of `refs` that was chosen before, None when it is not among them."""
    try:
        chosen = json.loads(_file().read_bytes())
    except (OSError, ValueError):
        return None
    if not isinstance(chosen, dict):
        return None
    is_it = (ref for ref in refs if all(getattr(ref, key) == chosen.get(key) for key in _KEYS))
    return next(is_it, None)


def _file() -> Path:
    return state_folder() / "model.json"
