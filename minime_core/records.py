"""The records of a session, and their JSON. One record is one line of the session file.

A reader of format version 1 keeps kinds that it does not know and ignores them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from minime_core.codec import from_plain, to_plain
from minime_core.messages import Message, Timings, Usage

FORMAT_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Meta:
    """Facts about the session; the first record of a file has at least `app`, `v` and `id`."""

    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageRecord:
    """A message of the conversation, with the server's counts and times for an answer.

    at: when it was complete, in seconds since 1970; None in files of older versions.
    """

    message: Message
    usage: Usage | None = None
    timings: Timings | None = None
    at: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Display:
    """Something that was shown and never goes to the model; `event` is an event's JSON object."""

    event: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """Replace the messages of records `first` to `last` (inclusive) in the view by `messages`."""

    first: int
    last: int
    messages: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewrite:
    """Change what the model sees of earlier records; later rewrites win."""

    why: str
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Undo:
    """A file's content before a tool wrote it; None when the file did not exist.

    Folders that a tool makes are recorded as files that did not exist.

    path: the real one, without links.
    mode: permission bits, 0 when the file did not exist.
    written: SHA-256 in hex of what the tool writes, to tell later changes by others; "" if unknown.
    """

    path: str
    content: bytes | None
    mode: int = 0
    written: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorRecord:
    """What made a turn fail, and with which provider and model."""

    text: str
    provider: str = ""
    model: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown:
    """A record of a kind that this version does not know: the whole JSON object."""

    values: Mapping[str, Any]


Record: TypeAlias = Meta | MessageRecord | Display | Rewrite | Undo | ErrorRecord | Unknown

CANCELLED = "cancelled"
"""Why a turn that the user stopped is not in the view."""
UNDONE = "undone"
"""Why a turn that the user took back is not in the view."""

KINDS: Mapping[str, type[Record]] = {
    "meta": Meta,
    "message": MessageRecord,
    "display": Display,
    "rewrite": Rewrite,
    "undo": Undo,
    "error": ErrorRecord,
}
_NAMES = {kind: name for name, kind in KINDS.items()}


def dump(record: Record) -> bytes:
    """Return `record` as one line of JSON with its newline."""
    if isinstance(record, Unknown):
        plain = record.values
    else:
        plain = {"kind": _NAMES[type(record)], **to_plain(record)}
    line = json.dumps(plain, ensure_ascii=False, separators=(",", ":"))
    # File names that are not UTF-8 hold lone surrogates; json.loads reads them back.
    return line.encode("utf-8", "surrogatepass") + b"\n"


def load(line: bytes) -> Record:
    """Read one line. Raises ValueError when it is not a record."""
    try:
        values = json.loads(line)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if not isinstance(values, dict) or not isinstance(values.get("kind"), str):
        raise ValueError("not a record")
    if values["kind"] not in KINDS:
        return Unknown(values=values)
    record: Record = from_plain(KINDS[values["kind"]], values)
    return record
