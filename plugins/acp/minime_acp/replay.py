"""A stored conversation as the updates that its client was sent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from minime_acp.translation import Translation, Update, usage_updates, user_text, window
from minime_core.codec import from_plain
from minime_core.events import Event, MessageDone, TextDelta, ThinkingDelta, ToolDone
from minime_core.history import NO_ANSWER, NO_RESULT
from minime_core.messages import Message, Usage
from minime_core.records import UNDONE, Display, MessageRecord, Record, Rewrite
from minime_core.session import Session

WITHDRAWN = {"cancelled", UNDONE}
"""Why a question is neither known to the model any more nor shown."""


def replay(session: Session) -> Iterator[Update]:
    """Yield all that was said, what the model has only a summary of included."""
    records = session.history.records
    done = _stored_results(records)
    translation = Translation(session=session, is_free=lambda tool: True)
    usage = Usage()
    for number in _shown(records):
        record = records[number]
        if not isinstance(record, MessageRecord):
            continue
        usage = record.usage or usage
        if record.message.role == "user":
            yield from translation.abandoned(NO_RESULT)
            yield user_text(record.message.text, f"question-{number}")
        for event in _events(session, record.message, done):
            yield from translation.updates(event)
    yield from translation.abandoned(NO_RESULT)
    yield from usage_updates(usage, window(session))


def _shown(records: Sequence[Record]) -> Iterator[int]:
    """Yield the numbers of the records that were not withdrawn."""
    withdrawn: set[int] = set()
    for record in records:
        if isinstance(record, Rewrite) and record.why in WITHDRAWN:
            for edit in record.edits:
                withdrawn.update(range(edit.first, edit.last + 1))
    return (number for number in range(len(records)) if number not in withdrawn)


def _stored_results(records: Sequence[Record]) -> dict[str, ToolDone]:
    """Return what was stored of results besides their text, by the id of the call."""
    found = {}
    for record in records:
        if isinstance(record, Display) and record.event.get("type") == "tool_done":
            try:
                done: ToolDone = from_plain(ToolDone, record.event)
            except ValueError:
                continue  # A file may have been written by anybody.
            found[done.call_id] = done
    return found


def _events(session: Session, message: Message, done: dict[str, ToolDone]) -> Iterator[Event]:
    """Yield what happened when `message` became part of the conversation."""
    if message.role == "assistant" and message.text != NO_ANSWER:
        if message.thinking:
            yield ThinkingDelta(message.thinking)
        if message.text:
            yield TextDelta(message.text)
        yield MessageDone(message=message)
        for call in message.calls:
            yield session.started(call)
    elif message.role == "tool":
        usual = ToolDone(call_id=message.call_id, name="", text="", ok=True, seconds=0.0)
        yield replace(done.get(message.call_id, usual), text=message.text)
