"""What a list says of each session."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from minime_core.errors import SessionFileError
from minime_core.records import MessageRecord, Meta, Record
from minime_core.store import read

MAX_QUESTION = 60
"""Characters of a first question that a list shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What a list shows of a session.

    changed: when it was written last, local time.
    tokens: of the last prompt and its answer, as the server counted them; None when it did not.
    """

    id: str
    changed: str
    model: str
    questions: int
    tokens: int | None
    first: str


def summaries(folder: Path, tell: Callable[[str], None]) -> Iterator[Summary]:
    """Yield those of a folder, the newest first; `tell` is given why one cannot be read."""
    for path in sorted(folder.glob("*.jsonl"), key=_changed, reverse=True):
        try:
            records = read(path).records
            changed = time.strftime("%Y-%m-%d %H:%M", time.localtime(path.stat().st_mtime))
        except (SessionFileError, OSError) as error:
            tell(str(error))
            continue
        asked = [m.message.text for m in messages(records) if m.message.role == "user"]
        first = " ".join(asked[0].split()) if asked else ""
        yield Summary(
            id=path.stem,
            changed=changed,
            model=_model(records),
            questions=len(asked),
            tokens=_tokens(records),
            first=first if len(first) <= MAX_QUESTION else f"{first[: MAX_QUESTION - 1]}…",
        )


def _changed(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0


def messages(records: Sequence[Record]) -> Iterator[MessageRecord]:
    return (record for record in records if isinstance(record, MessageRecord))


def _model(records: Sequence[Record]) -> str:
    values = records[0].values if isinstance(records[0], Meta) else {}
    return str(values.get("model") or "")


def _tokens(records: Sequence[Record]) -> int | None:
    for record in reversed([*messages(records)]):
        if record.usage is not None and record.usage.prompt_tokens is not None:
            return record.usage.prompt_tokens + (record.usage.completion_tokens or 0)
    return None
