"""What the file tools share: the text of a file as it is now, and what the model knows of it."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from minime_builtin_tools.edit import FileRefused, TextFile, decode, read_regular
from minime_core.events import FileDiff

MAX_DIFF = 256 << 10
"""Characters of a file up to which its old and new text are handed to the user's display."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """A file's bytes at one moment, and their text."""

    data: bytes
    file: TextFile


def read_content(path: Path) -> Content:
    """Read the file at `path`. Raises FileRefused, and NotText when it is binary."""
    data = read_regular(path)
    return Content(data=data, file=decode(data))


def is_missing(refused: FileRefused) -> bool:
    """Return whether a file was refused since there is none."""
    return isinstance(refused.__cause__, FileNotFoundError)


def shown(path: str) -> str:
    """Return `path` for a line of text; a name that would break the line comes quoted."""
    return path if path.isprintable() else repr(path)


def file_diff(path: Path, old: str | None, new: str) -> FileDiff | None:
    """Return the change for the user; None for one that is too large to be looked at."""
    if max(len(old or ""), len(new)) > MAX_DIFF:
        return None
    return FileDiff(path=str(path), old=old, new=new)


def digest(data: bytes) -> str:
    """Return what tells one content from another."""
    return hashlib.sha256(data).hexdigest()


class Known:
    """The contents of files as the model saw or wrote them last, by real path."""

    def __init__(self, stash: dict[str, Any]) -> None:
        self._digests: dict[str, str] = stash.setdefault("known files", {})

    def note(self, path: Path, data: bytes) -> None:
        """The model knows that `path` holds `data`."""
        self._digests[os.path.realpath(path)] = digest(data)

    def has_changed(self, path: Path, data: bytes) -> bool:
        """Return whether somebody else changed `path` since; false when the model never saw it."""
        known = self._digests.get(os.path.realpath(path))
        return known is not None and known != digest(data)
