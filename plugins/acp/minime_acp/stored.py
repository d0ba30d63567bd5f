"""Sessions on disk, of one folder or of all that are known."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from minime_acp.tool_calls import one_line
from minime_core import paths
from minime_core.records import MessageRecord, Meta, load

MAX_HEAD = 512 << 10
"""Bytes of a file in which its first question is looked for."""
MAX_TITLE = 80
"""Characters of a title."""
_ID = re.compile(r"[A-Za-z0-9_-]{1,100}")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSession:
    """What a list shows of a session.

    cwd: where it was begun.
    time: of the last change, in seconds since the epoch.
    """

    path: Path
    cwd: str
    title: str
    time: float

    @property
    def id(self) -> str:
        return self.path.stem

    @property
    def updated_at(self) -> str:
        """The time as ISO 8601."""
        return datetime.fromtimestamp(self.time, UTC).isoformat(timespec="seconds")

    @property
    def place(self) -> tuple[float, str]:
        """What lists are sorted by, the newest first."""
        return (-self.time, self.id)


def stored_sessions(cwd: Path | None) -> list[StoredSession]:
    """Return the sessions of `cwd`, or all, the newest first. Files that are none are left out."""
    folders = [paths.sessions_folder(cwd)] if cwd is not None else _known_folders()
    found = [_summary(path) for folder in folders for path in folder.glob("*.jsonl")]
    return sorted((s for s in found if s is not None), key=lambda session: session.place)


def find_stored(session_id: str, cwd: Path | None = None) -> Path | None:
    """Return the file of a session, looked for first in `cwd`; None when there is none."""
    if not _ID.fullmatch(session_id):
        return None
    near = [paths.sessions_folder(cwd)] if cwd is not None else []
    candidates = (folder / f"{session_id}.jsonl" for folder in [*near, *_known_folders()])
    return next((path for path in candidates if path.is_file() and path.stat().st_size), None)


def note_folder(cwd: Path) -> None:
    """Remember that sessions of `cwd` may be kept in the project itself, to find them later."""
    folder = paths.sessions_folder(cwd)
    if folder.parent.name != paths.PROJECT_FOLDER or folder in _noted_folders():
        return
    note = _note()
    note.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with open(note, "ab") as file:
        file.write(os.fsencode(folder) + b"\n")


def _known_folders() -> list[Path]:
    import platformdirs

    user = platformdirs.user_data_path(paths.APP) / "sessions"
    return [*sorted(user.glob("*/")), *_noted_folders()]


def _noted_folders() -> list[Path]:
    try:
        lines = _note().read_bytes().splitlines()
    except OSError:
        return []
    return [Path(os.fsdecode(line)) for line in lines if line]


def _note() -> Path:
    return paths.state_folder() / "session-folders"


def _summary(path: Path) -> StoredSession | None:
    try:
        time = path.stat().st_mtime
        with open(path, "rb") as file:
            lines = file.read(MAX_HEAD).split(b"\n")[:-1]
        cwd = _cwd(lines)
    except (OSError, ValueError):
        return None
    title = next(_questions(lines), "")
    return StoredSession(path=path, cwd=cwd, title=one_line(title)[:MAX_TITLE], time=time)


def _cwd(lines: list[bytes]) -> str:
    """Return the folder in a session's header. Raises ValueError when it is no session."""
    header = load(lines[0]) if lines else None
    cwd = header.values.get("cwd") if isinstance(header, Meta) else None
    if not isinstance(cwd, str):
        raise ValueError("not a session")
    return cwd


def _questions(lines: list[bytes]) -> Iterator[str]:
    for line in lines[1:]:
        try:
            record = load(line)
        except ValueError:
            return
        if isinstance(record, MessageRecord) and record.message.role == "user":
            yield record.message.text
