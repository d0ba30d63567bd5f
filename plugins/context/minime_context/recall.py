"""What a resumed session begins with: the server's counts of the last answers in its file."""

from __future__ import annotations

from collections.abc import Sequence

from minime_context.measures import Measures
from minime_core.history import History
from minime_core.records import MessageRecord, Meta, Rewrite
from minime_core.session import Session

RECALLED = 8
"""Counts that are learnt from: the last says how full the window is, all how long a token is."""


def recall(session: Session, measures: Measures) -> None:
    """Learn from the stored counts that still tell of what will be sent."""
    history = session.history
    counts = _last_counts(history)
    if not counts or _model(history) != session.ref.model:
        return
    sizes, meter, window = measures.all
    system = [message for message in history.view()[:1] if message.role == "system"]
    tools = tuple(session.tools.values())
    for number, tokens in counts:
        before = [message for at, message in history.numbered() if at < number]
        # Others may have written the file: what cannot be is not learnt, and nothing said of it.
        size = sizes.of([*system, *before], tools)
        meter.learn(size, tokens, window.tokens, may_cut=not window.refuses)


def _last_counts(history: History) -> Sequence[tuple[int, int]]:
    """Return the last counts, oldest first, each with the number of its answer.

    Those are left out before which something was rewritten later.
    """
    counts: list[tuple[int, int]] = []
    unchanged = len(history.records)
    for number in range(len(history.records) - 1, -1, -1):
        record = history.records[number]
        if isinstance(record, Rewrite):
            unchanged = min([unchanged, *(edit.first for edit in record.edits)])
        elif isinstance(record, MessageRecord) and record.usage and number <= unchanged:
            counts.append((number, record.usage.prompt_tokens or 0))
        if len(counts) == RECALLED:
            break
    return counts[::-1]


def _model(history: History) -> object:
    first = history.records[0]
    return first.values.get("model") if isinstance(first, Meta) else None
