"""Which existing files a wrong path may have meant."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from minime_builtin_tools.file_text import shown
from minime_core.tools import ToolContext

MAX_ENTRIES = 5_000
"""Names that are looked at."""
MAX_NAMES = 3
"""Names that are offered."""
_LIKE = 60
"""Per cent of likeness (`rapidfuzz.fuzz.ratio`) from which a name may have been meant."""

# Folders of what tools make, looked into last.
_JUNK = frozenset(
    {
        ".cache",
        ".eggs",
        ".git",
        ".gradle",
        ".hg",
        ".idea",
        ".mypy_cache",
        ".next",
        ".nox",
        ".pytest_cache",
        ".ruff_cache",
        ".svn",
        ".tox",
        ".venv",
        ".vscode",
        "__pycache__",
        "bower_components",
        "build",
        "coverage",
        "dist",
        "env",
        "node_modules",
        "out",
        "site-packages",
        "target",
        "vendor",
        "venv",
    }
)
_PATTERN = frozenset("*?[!#/")
"""Characters that make more than a name of a line in `.gitignore`."""


def nearest_files(path: Path, cwd: Path) -> list[str]:
    """Return the existing files that `path`, which does not exist, may have meant; best first.

    Of the same name anywhere below `cwd`, then of a similar one in the same folder, then below
    `cwd`. Relative to `cwd` where that is shorter.
    """
    from rapidfuzz import fuzz, process

    beside = [path.parent / name for name in _names(path.parent)]
    below = [*_walk(cwd)]
    wanted = path.name.lower()
    same = [found for found in below if found.name.lower() == wanted]
    best = list(same)
    for candidates in (beside, below):
        names = [found.name.lower() for found in candidates]
        like = process.extract(
            wanted, names, scorer=fuzz.ratio, score_cutoff=_LIKE, limit=MAX_NAMES
        )
        best += [candidates[index] for _, _, index in like]
    unique = dict.fromkeys(_relative(found, cwd) for found in best)
    return [name for name in unique if name.isprintable()][:MAX_NAMES]


def missing(tool: str, name: str, context: ToolContext, todo: str = "") -> str:
    """Return what to tell the model of a file `name` that does not exist.

    todo: what else it may do, as a sentence.
    """
    path = context.resolve(name)
    if names := nearest_files(path, context.cwd):
        where = f"Nearest: {', '.join(names)}"
    else:
        folder = next(folder for folder in path.parents if os.path.isdir(folder))
        nearest = shown(os.path.relpath(folder, context.cwd))
        where = f"The nearest folder is {nearest}: list it with read_file"
    return f"[{tool}: {shown(name)} does not exist. {where}.{f' {todo}.' if todo else ''}]"


def _names(folder: Path) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return [entry.name for entry in islice(entries, MAX_ENTRIES)]
    except (OSError, ValueError):
        return []


def _walk(root: Path) -> Iterator[Path]:
    """Yield files below `root`, level by level, what is ignored last; follow no links."""
    junk = _JUNK | _ignored_names(root)
    folders, later = deque([root]), deque[Path]()
    left = MAX_ENTRIES
    while (folders or later) and left > 0:
        folder = folders.popleft() if folders else later.popleft()
        try:
            entries = os.scandir(folder)
        except OSError:
            continue
        with entries:
            for entry in entries:
                left -= 1
                if left < 0:
                    return
                if _is_real_folder(entry):
                    (later if entry.name in junk else folders).append(Path(entry.path))
                else:
                    yield Path(entry.path)


def _ignored_names(root: Path) -> set[str]:
    """Return the plain names in `.gitignore`; patterns are not worth a walk's time."""
    try:
        with open(root / ".gitignore", "rb", opener=_open_nonblocking) as file:
            lines = file.read(1 << 16).decode("utf-8", "replace").splitlines()
    except OSError:
        return set()
    names = {line.strip().strip("/") for line in lines}
    return {name for name in names if not _PATTERN & {*name}}


def _open_nonblocking(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK)


def _is_real_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _relative(path: Path, cwd: Path) -> str:
    return os.path.relpath(path, cwd) if path.is_relative_to(cwd) else str(path)
