"""Undo the last question: its files as they were, and the model never heard of it.

What a command of the shell changed cannot be known. A file that somebody changed after the tools
did is left alone.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import stat
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from minime_core.records import UNDONE, MessageRecord, Record, Rewrite, Undo

if TYPE_CHECKING:
    from minime_core.session import Session

_MAX_NAMED = 5
_MAX_SHOWN = 80
"""Characters of a question or a command that are shown."""


async def undo(session: Session, arguments: str) -> str:
    """Run `/undo`."""
    return "\n".join(undo_last_turn(session))


def undo_last_turn(session: Session) -> list[str]:
    """Restore the files of the last turn, withdraw it from the view, and return what was done.

    Each line is for the user. The turn may have been cancelled or failed. A session file may come
    with a project that somebody else made: what it says is undone in the project's folder alone.
    Raises RuntimeError while a turn is running.
    """
    if session.turn is not None:
        raise RuntimeError("a turn is running")
    records = session.history.records
    turn = _last_turn(records)
    if turn is None:
        return ["there is nothing to undo"]
    first, last = turn
    of_turn = records[first : last + 1]
    folder = session.cwd.resolve() if first < session.history.loaded else Path("/")
    lines = [line for change in _changes(of_turn) if (line := change.revert(folder))]
    question = of_turn[0]
    assert isinstance(question, MessageRecord)
    session.history.withdraw(first, UNDONE)
    if commands := _commands(session, of_turn):
        named = ", ".join(commands[:_MAX_NAMED])
        more = f" and {len(commands) - _MAX_NAMED} more" if len(commands) > _MAX_NAMED else ""
        lines.append(f"what commands changed is not known and stays: {named}{more}")
    return [*lines, f"the model will not hear again of: {_short(question.message.text)}"]


def _last_turn(records: Sequence[Record]) -> tuple[int, int] | None:
    """Return the first and last record of the last turn that was not undone yet."""
    undone = {
        edit.first
        for record in records
        if isinstance(record, Rewrite) and record.why == UNDONE
        for edit in record.edits
    }
    last = len(records) - 1
    for number in range(len(records) - 1, -1, -1):
        record = records[number]
        if isinstance(record, MessageRecord) and record.message.role == "user":
            if number not in undone:
                return number, last
            last = number - 1
    return None


@dataclass(slots=True)
class _Change:
    """What tools did to one path: what was there before, and the digests of what they wrote."""

    before: Undo
    written: set[str] = field(default_factory=set)

    def revert(self, folder: Path) -> str:
        """Make the path as it was, if it is in `folder`.

        Return what was done, "" when there was nothing to do.
        """
        path = Path(self.before.path)
        try:
            if not path.resolve().is_relative_to(folder):
                return f"left {path} as it is: it is not in {folder}, which this session is for"
            return self._revert(path)
        except OSError as error:
            return f"could not restore {self.before.path}: {error.strerror}"

    def _revert(self, path: Path) -> str:
        content = self.before.content
        if content is None and path.is_dir():
            with suppress(OSError):
                # What else is in it was not put there by a tool.
                path.rmdir()
            return ""
        if not path.exists():
            if content is None:
                return ""
            path.parent.mkdir(parents=True, exist_ok=True)
            _write(path, content, self.before.mode)
            return f"brought back {path}"
        if not path.is_file():
            return f"left {path} as it is: it is no file any more"
        now = _digest_of(path)
        was = None if content is None else hashlib.sha256(content).hexdigest()
        if now == was and stat.S_IMODE(path.stat().st_mode) == self.before.mode:
            return ""
        # A write that failed has left what was there before.
        if now != was and self.written and now not in self.written:
            return f"left {path} as it is: it was changed afterwards, by a command or by you"
        if content is None:
            path.unlink()
            return f"deleted {path}, which was new"
        _write(path, content, self.before.mode)
        return f"restored {path}"


def _changes(records: Iterable[Record]) -> list[_Change]:
    """Return what was done to each path, the one that was written last first.

    A folder that was made comes after what is in it.
    """
    changes: dict[str, _Change] = {}
    for record in records:
        if isinstance(record, Undo):
            change = changes.setdefault(record.path, _Change(record))
            change.written |= {record.written} - {""}
    return [*reversed(changes.values())]


def _digest_of(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _write(path: Path, content: bytes, mode: int) -> None:
    """Write the file in one step, so that a full disk does not take what is there."""
    temporary = path.parent / f".{secrets.token_hex(8)}.tmp"
    try:
        with open(temporary, "xb") as file:
            file.write(content)
            file.flush()
            if path.exists():
                owner = path.stat()
                with suppress(PermissionError):
                    os.fchown(file.fileno(), owner.st_uid, owner.st_gid)
            os.fchmod(file.fileno(), mode)
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _commands(session: Session, records: Iterable[Record]) -> list[str]:
    """Return the calls of tools that can change anything, each once."""
    found: dict[str, None] = {}
    for record in records:
        for call in record.message.calls if isinstance(record, MessageRecord) else ():
            tool = session.tools.get(call.name)
            if tool is not None and "execute" in tool.effects and not tool.faults(call.arguments):
                found[_short(tool.subject(call.arguments) or call.name)] = None
    return [*found]


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MAX_SHOWN else f"{line[:_MAX_SHOWN].rstrip()} ..."
