"""Sessions on disk: one append-only JSONL file each.

Every record is one line, flushed when it is written, so a session that was killed at any byte
resumes with all whole lines. A file is open in one process at a time.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import time
from dataclasses import dataclass
from pathlib import Path

from minime_core.errors import SessionFileError
from minime_core.records import FORMAT_VERSION, Meta, Record, dump, load

APP = "mini-me"
MAX_BYTES = 1 << 30
"""Size above which a file is taken for something else than a session."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """The whole records of a session file, their bytes, and whether a cut last line follows."""

    records: list[Record]
    dropped: bool
    size: int


class SessionFile:
    """An open session file. It begins with its second record: a header alone is no session.

    path: `<session id>.jsonl`.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._fd: int | None = None
        self._header = b""

    @property
    def id(self) -> str:
        return self.path.stem

    def append(self, record: Record) -> None:
        """Write one record so that it outlives this process. Raises SessionFileError."""
        line = dump(record)
        if self._fd is None:
            if not self._header:
                self._header = line
                return
            self._fd = self._open(os.O_CREAT | os.O_EXCL)
        size = os.lseek(self._fd, 0, os.SEEK_END)
        if not size:
            line = self._header + line
        try:
            while line:
                line = line[os.write(self._fd, line) :]
        except OSError as error:
            # A full disk takes a part of the line; what is written later must not follow that.
            os.ftruncate(self._fd, size)
            raise SessionFileError(f"cannot write {self.path}: {error.strerror}") from error

    def resume(self) -> Loaded:
        """Lock the file, drop a cut last line, and return what it holds.

        Raises SessionFileError when another process has it open, and as `read` does.
        """
        self._fd = self._open(0)
        try:
            loaded = read(self.path)
        except SessionFileError:
            self.close()
            raise
        if loaded.dropped:
            os.ftruncate(self._fd, loaded.size)
        return loaded

    def sync(self) -> None:
        """Make what was written outlive the machine; once a turn is enough."""
        if self._fd is not None:
            os.fsync(self._fd)

    def close(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def _open(self, flags: int) -> int:
        fd = -1
        try:
            if flags:
                self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            fd = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | flags, 0o600)
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if fd >= 0:
                os.close(fd)
            if isinstance(error, BlockingIOError):
                why = f"session {self.id} is open in another mm: close it there, or begin a new one"
            else:
                why = f"cannot open {self.path}: {error.strerror}"
            raise SessionFileError(why) from error
        return fd


def read(path: Path) -> Loaded:
    """Read a session file without locking it.

    Raises SessionFileError when the file is missing, foreign, or of a newer version.
    """
    try:
        if path.stat().st_size > MAX_BYTES:
            raise SessionFileError(f"{path} is larger than a session can be")
        data = path.read_bytes()
    except OSError as error:
        raise SessionFileError(f"cannot read {path}: {error.strerror}") from error
    *lines, rest = data.split(b"\n")
    if not lines:
        raise SessionFileError(f"{path} holds no whole record: there is nothing to resume")
    records: list[Record] = []
    for number, line in enumerate(lines, start=1):
        try:
            records.append(load(line))
        except ValueError as error:
            if number == 1:
                raise SessionFileError(f"{path} is not an mm session") from error
            raise SessionFileError(f"{path}, line {number} is damaged: {error}") from error
        if number == 1:
            _check_header(path, records[0])
    return Loaded(records, dropped=bool(rest), size=len(data) - len(rest))


def _check_header(path: Path, first: Record) -> None:
    if not isinstance(first, Meta) or first.values.get("app") != APP:
        raise SessionFileError(f"{path} is not an mm session")
    version = first.values.get("v")
    if not isinstance(version, int) or version > FORMAT_VERSION:
        raise SessionFileError(
            f"{path} was written by a newer mm (format {version}; this one reads "
            f"{FORMAT_VERSION}): upgrade mini-me to open it"
        )


def new_session_id() -> str:
    """Return an id that sorts by time: UTC date and time, then six random hex digits."""
    return time.strftime("%Y%m%d-%H%M%S", time.gmtime()) + "-" + secrets.token_hex(3)


def header(session_id: str, **values: object) -> Meta:
    """Return the first record of a session file."""
    return Meta(values={"app": APP, "v": FORMAT_VERSION, "id": session_id, **values})


def find_session(folder: Path, wanted: str | None) -> Path:
    """Return the newest session of `folder`, or the one whose id begins with `wanted`.

    Raises SessionFileError when there is none, or several begin so.
    """
    if wanted and wanted.endswith(".jsonl") and Path(wanted).is_file():
        return Path(wanted)
    # A file that was made but never written to is no session.
    found = [p for p in sorted(folder.glob("*.jsonl")) if p.is_file() and p.stat().st_size]
    if wanted is None:
        if not found:
            raise SessionFileError(f"no session to continue in {folder}")
        return found[-1]
    matching = [path for path in found if path.stem.startswith(wanted)]
    if len(matching) == 1:
        return matching[0]
    what = "several sessions begin" if matching else "no session begins"
    raise SessionFileError(f"{what} with {wanted!r} in {folder}")
