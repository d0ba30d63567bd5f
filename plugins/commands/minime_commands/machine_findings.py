"""What this machine gives `mm`: folders to write to, and a terminal."""

from __future__ import annotations

import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TextIO

from minime_core import paths
from minime_core.cli.finding import Finding
from minime_core.plugins import DISTRIBUTION

LEAST_SPACE = 100 << 20
"""Bytes that should be free: a long session with many files to undo takes some tens of MB."""
LEAST_WIDTH = 40
"""Columns from which on everything that is drawn fits."""


def about() -> Finding:
    """Return which `mm` this is."""
    try:
        ours = version(DISTRIBUTION)
    except PackageNotFoundError:
        ours = "(not installed)"
    system = f"{platform.system()} {platform.machine()}"
    return Finding("mm", "ok", f"mm {ours}, Python {platform.python_version()}, {system}")


def folders(cwd: Path) -> Iterator[Finding]:
    """Yield whether each folder that mm writes to can be written to."""
    import platformdirs

    places = {
        "config": paths.config_folder(),
        "state": paths.state_folder(),
        "data": platformdirs.user_data_path(paths.APP),
        "sessions": paths.sessions_folder(cwd),
    }
    for name, path in places.items():
        if fault := _fault(path):
            yield Finding(f"{name} folder", "fault", f"{path}: {fault}", _cure(path))
            continue
        free = shutil.disk_usage(_existing(path)).free
        if free < LEAST_SPACE:
            text = f"{path}: {free >> 20} MB are left on that disk"
            yield Finding(f"{name} folder", "warn", text, "make room there")
        else:
            yield Finding(f"{name} folder", "ok", f"{path} can be written to")


def _fault(path: Path) -> str:
    """Return why nothing can be written into the folder `path`, "" when it can."""
    nearest = _existing(path)
    if not nearest.is_dir():
        return f"{nearest} is a file" if nearest != path else "it is a file"
    # Rights say little about a disk that is full or mounted for reading: it is tried.
    try:
        tempfile.TemporaryFile(dir=nearest).close()
    except OSError as error:
        return f"{nearest} cannot be written to: {error.strerror}"
    return ""


def _existing(path: Path) -> Path:
    """Return the nearest of `path` and its parents that exists."""
    return next((p for p in (path, *path.parents) if os.path.lexists(p)), path)


def _cure(path: Path) -> str:
    nearest = _existing(path)
    if not nearest.is_dir():
        return f"move {nearest} away"
    return f"chmod u+rwx {nearest}, or name another place with the XDG_ variables"


def terminal(out: TextIO, environment: Mapping[str, str]) -> Iterator[Finding]:
    """Yield what the terminal can show."""
    encoding = (out.encoding or "").lower().replace("_", "-")
    if encoding.replace("-", "") == "utf8":
        yield Finding("encoding", "ok", "UTF-8")
    else:
        cure = "set LANG to a UTF-8 locale such as C.UTF-8, or PYTHONUTF8=1"
        yield Finding("encoding", "warn", f"{encoding or 'none'}: not all text can be shown", cure)
    if not (sys.stdin.isatty() and out.isatty()):
        yield Finding("terminal", "ok", "none: answers are printed plainly")
        return
    width = shutil.get_terminal_size().columns
    if width < LEAST_WIDTH:
        yield Finding("width", "warn", f"{width} columns", f"{LEAST_WIDTH} show everything")
    else:
        yield Finding("width", "ok", f"{width} columns")
    term = environment.get("TERM", "")
    if not term:
        cure = "set TERM, such as TERM=xterm-256color"
        yield Finding("terminal", "warn", "TERM is not set: no colour, no status line", cure)
    elif term == "dumb":
        yield Finding("terminal", "ok", "TERM=dumb: plain lines, no colour")
    elif environment.get("NO_COLOR"):
        yield Finding("terminal", "ok", f"TERM={term}, no colour since NO_COLOR is set")
    else:
        depth = environment.get("COLORTERM") or "its own colours"
        yield Finding("terminal", "ok", f"TERM={term}, {depth}")
