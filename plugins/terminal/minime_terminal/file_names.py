"""The files of a folder, for completion: what git knows or does not ignore, else what is there."""

from __future__ import annotations

import heapq
import os
import re
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

GIT = ("git", "-c", "core.fsmonitor=false", "ls-files", "-z", "-co", "--exclude-standard")
"""fsmonitor is a command of the repository's own settings: nothing of it may run."""
GIT_TIMEOUT = 10.0
MAX_FILES = 200_000
FRESH = 5.0
"""Seconds after which the names are read again."""
SKIPPED = frozenset({"node_modules", "__pycache__", "venv", "target", "build", "dist"})
"""Folders that tools make; looked into only when git says so."""


class FileNames:
    """The names below a folder, read when they are asked for. Used in one thread at a time."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._read_at = float("-inf")
        self._names: list[str] = []
        self._lowered: list[str] = []
        self._last: tuple[str, list[int]] = ("", [])

    def matching(self, query: str, count: int) -> list[str]:
        """Return the `count` best names that hold the characters of `query` in that order."""
        if time.monotonic() - self._read_at > FRESH:
            self._read()
        wanted = query.lower()
        found = self._holding(wanted)
        best = heapq.nsmallest(count, found, key=lambda number: self._rank(number, wanted))
        return [self._names[number] for number in best]

    def _holding(self, wanted: str) -> Sequence[int]:
        """Return the numbers of the names that hold all characters; fewer with each one typed."""
        before, found = self._last
        candidates: Sequence[int] = range(len(self._names))
        if before and wanted.startswith(before):
            candidates = found
        search = re.compile(".*?".join(map(re.escape, wanted))).search
        found = [number for number in candidates if search(self._lowered[number])]
        self._last = wanted, found
        return found

    def _rank(self, number: int, wanted: str) -> tuple[int, int, str]:
        name = self._lowered[number]
        base = name.rstrip("/").rpartition("/")[2]
        if base.startswith(wanted):
            place = 0
        elif wanted in base:
            place = 1
        else:
            place = 2 if wanted in name else 3
        return place, len(name), name

    def _read(self) -> None:
        files = _of_git(self._folder)
        if files is None:
            files = list(_walked(self._folder))
        folders = {f"{parent}/" for name in files for parent in _parents(name)}
        # Names that would steer the terminal are left out.
        self._names = [name for name in [*folders, *files] if name.isprintable()]
        self._lowered = [name.lower() for name in self._names]
        self._last = ("", [])
        self._read_at = time.monotonic()


def _of_git(folder: Path) -> list[str] | None:
    """Return the files in the work tree, None where there is none or no git."""
    try:
        done = subprocess.run(
            GIT,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=GIT_TIMEOUT,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    if done.returncode != 0:
        return None
    return [os.fsdecode(name) for name in done.stdout.split(b"\0") if name][:MAX_FILES]


def _walked(folder: Path) -> Iterator[str]:
    count = 0
    for parent, folders, files in os.walk(folder):
        folders[:] = sorted(f for f in folders if not f.startswith(".") and f not in SKIPPED)
        relative = os.path.relpath(parent, folder)
        for name in sorted(files):
            if not name.startswith("."):
                yield name if relative == "." else f"{relative}/{name}"
                count += 1
            if count == MAX_FILES:
                return


def _parents(name: str) -> Iterator[str]:
    while name := name.rpartition("/")[0]:
        yield name
