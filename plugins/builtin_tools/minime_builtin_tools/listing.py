"""What is in a folder."""

from __future__ import annotations

import os
from itertools import islice
from pathlib import Path

from minime_core.bounds import bound

MAX_ENTRIES = 10_000
"""Names that are read."""


def listing(folder: Path, room: int) -> str:
    """Return the names in `folder`, folders with a `/`, in at most `room` characters.

    Raises OSError.
    """
    with os.scandir(folder) as entries:
        names = sorted(_name(entry) for entry in islice(entries, MAX_ENTRIES + 1))
    if not names:
        return "[read_file: the folder is empty]"
    more = " or more" if len(names) > MAX_ENTRIES else ""
    note = f"[read_file: a folder with {min(len(names), MAX_ENTRIES)}{more} entries]"
    text = bound("\n".join(names), room - len(note) - 1, "list a part with bash: ls PATTERN")
    return f"{text}\n{note}"


def _name(entry: os.DirEntry[str]) -> str:
    name = entry.name if entry.name.isprintable() else repr(entry.name)
    try:
        return f"{name}/" if entry.is_dir() else name
    except OSError:
        return name
