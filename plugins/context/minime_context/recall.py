"""The count that a resumed session begins with: that of the last answer in its file."""

from __future__ import annotations

from minime_context.measures import Measures
from minime_core.history import History
from minime_core.records import MessageRecord, Meta, Rewrite
from minime_core.session import Session


def recall(session: Session, measures: Measures) -> None:
    """Learn from the last stored count, if there is one that still tells of what will be sent."""
    history = session.history
    number, tokens = _last_count(history)
    if not tokens or _model(history) != session.ref.model or _is_rewritten(history, number):
        return
    sizes, meter, window = measures.all
    view = history.view()
    system = [message for message in view[:1] if message.role == "system"]
    before = [message for at, message in history.numbered() if at < number]
    size = sizes.of([*system, *before], tuple(session.tools.values()))
    # Others may have written the file: what cannot be is not learnt, and nothing is said of it.
    meter.learn(size, tokens, window.tokens, may_cut=not window.refuses)


def _last_count(history: History) -> tuple[int, int]:
    """Return the number of the last answer that has a count, and the count; zeros for none."""
    for number in range(len(history.records) - 1, -1, -1):
        record = history.records[number]
        if isinstance(record, MessageRecord) and record.usage is not None:
            return number, record.usage.prompt_tokens or 0
    return 0, 0


def _model(history: History) -> object:
    first = history.records[0]
    return first.values.get("model") if isinstance(first, Meta) else None


def _is_rewritten(history: History, number: int) -> bool:
    """Return whether what came before record `number` has been changed since."""
    return any(
        edit.first < number
        for record in history.records[number:]
        if isinstance(record, Rewrite)
        for edit in record.edits
    )
