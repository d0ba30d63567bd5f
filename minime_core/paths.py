"""Where Mini Me keeps its own files."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

APP = "mini-me"
PROJECT_FOLDER = ".mm"


def config_folder() -> Path:
    """Return the user's folder for `config.yaml`, `profiles/` and `tools/`."""
    import platformdirs

    return platformdirs.user_config_path(APP)


def state_folder() -> Path:
    """Return the user's folder for what they trust, and input history."""
    import platformdirs

    return platformdirs.user_state_path(APP)


def sessions_folder(cwd: Path) -> Path:
    """Return where sessions of `cwd` are kept: in its `.mm`, else in the user's data folder."""
    project = cwd / PROJECT_FOLDER
    if project.is_dir():
        return project / "sessions"
    import platformdirs

    # The digest keeps apart what looks alike in plain letters: `a-b` and `a/b`, and other scripts.
    name = re.sub(r"[^A-Za-z0-9]+", "-", cwd.name)[:60].strip("-")
    digest = hashlib.sha256(os.fsencode(cwd)).hexdigest()[:12]
    return platformdirs.user_data_path(APP) / "sessions" / f"{name}-{digest}"
