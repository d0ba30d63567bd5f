"""Write a file so that it can be undone."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from minime_builtin_tools.edit import write_atomic
from minime_builtin_tools.edit.files import refusal
from minime_builtin_tools.file_text import Known, digest
from minime_core.records import Undo
from minime_core.tools import ToolContext


def store(path: Path, old: bytes | None, data: bytes, context: ToolContext) -> None:
    """Write `data` to `path`, and before that remember what was there and which folders are new.

    old: what the file holds now, None when it does not exist. Raises FileRefused; then the file is
        as it was.
    """
    real = Path(os.path.realpath(path))
    try:
        for folder in _missing_folders(real):
            context.remember(Undo(path=str(folder), content=None))
            folder.mkdir(exist_ok=True)
        mode = 0 if old is None else stat.S_IMODE(real.stat().st_mode)
    except (OSError, ValueError) as error:
        raise refusal(error) from error
    context.remember(Undo(path=str(real), content=old, mode=mode, written=digest(data)))
    write_atomic(path, data)
    Known(context.stash).note(path, data)


def _missing_folders(path: Path) -> list[Path]:
    """Return the folders that `path` needs, outermost first."""
    missing = []
    for folder in path.parents:
        if folder.exists():
            break
        missing.append(folder)
    return missing[::-1]
