"""What happened in a session, in the order in which it did, from its records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from minime_core.messages import Timings, Usage
from minime_core.records import (
    CANCELLED,
    UNDONE,
    ErrorRecord,
    MessageRecord,
    Meta,
    Record,
    Rewrite,
    Undo,
)
from minime_shared.cleaning import clean


@dataclass(slots=True, kw_only=True)
class Step:
    """One answer of the model, with the call that it made and what came of that.

    tool, arguments: of the call; tool is "" when it made none.
    result: what the model read of it; None when it never got one.
    before: what each file that the call wrote held before it; None for one that was not there.
    seconds: how long the call took; None in files of older versions.
    """

    text: str
    thinking: str = ""
    tool: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    result: str | None = None
    before: dict[str, str | None] = field(default_factory=dict)
    usage: Usage = Usage()
    timings: Timings = Timings()
    at: float | None = None
    seconds: float | None = None


@dataclass(slots=True, kw_only=True)
class Turn:
    """A question and all that came of it.

    at: when it was asked, in seconds since 1970.
    error: what made it fail, "" when it did not.
    is_stopped: whether the user stopped it.
    """

    question: str
    at: float | None = None
    steps: list[Step] = field(default_factory=list)
    error: str = ""
    is_stopped: bool = False

    @property
    def seconds(self) -> float | None:
        """From the question to the last answer or result."""
        ends = [step.at + (step.seconds or 0) for step in self.steps if step.at is not None]
        return ends[-1] - self.at if ends and self.at is not None else None


@dataclass(slots=True, kw_only=True)
class Story:
    """A session: all turns that the user did not take back.

    taken_back: how many were.
    """

    id: str
    model: str = ""
    turns: list[Turn] = field(default_factory=list)
    taken_back: int = 0


def tell(session_id: str, records: Sequence[Record]) -> Story:
    """Return what happened; all text is clean, see `minime_shared.cleaning`."""
    story = Story(id=session_id)
    undone = _undone(records)
    for number, record in enumerate(records):
        if number in undone:
            if isinstance(record, MessageRecord) and record.message.role == "user":
                story.taken_back += 1
        elif isinstance(record, Meta):
            story.model = clean(str(record.values.get("model") or story.model))
        elif isinstance(record, MessageRecord):
            _add_message(story, record)
        elif story.turns:
            _add_fact(story.turns[-1], record)
    return story


def _undone(records: Sequence[Record]) -> set[int]:
    """Return the numbers of the records of turns that the user took back."""
    edits = (
        edit
        for record in records
        if isinstance(record, Rewrite) and record.why == UNDONE
        for edit in record.edits
    )
    last = len(records) - 1
    return {n for edit in edits for n in range(edit.first, min(edit.last, last) + 1)}


def _add_message(story: Story, record: MessageRecord) -> None:
    message = record.message
    if message.role == "user" or not story.turns:
        story.turns.append(Turn(question="", at=record.at))
    turn = story.turns[-1]
    if message.role == "user":
        turn.question = clean(message.text)
    elif message.role == "tool" and turn.steps:
        step = turn.steps[-1]
        step.result = clean(message.text)
        if record.at is not None and step.at is not None:
            step.seconds = record.at - step.at
    else:
        turn.steps.append(_step(record))


def _step(record: MessageRecord) -> Step:
    message = record.message
    step = Step(
        text=clean(message.text),
        thinking=clean(message.thinking),
        usage=record.usage or Usage(),
        timings=record.timings or Timings(),
        at=record.at,
    )
    for call in message.calls:
        step.tool, step.arguments = clean(call.name), call.arguments
    return step


def _add_fact(turn: Turn, record: Record) -> None:
    if isinstance(record, ErrorRecord):
        turn.error = clean(record.text)
    elif isinstance(record, Undo) and turn.steps and record.mode:
        content = None if record.content is None else record.content.decode(errors="replace")
        turn.steps[-1].before[clean(record.path)] = content if content is None else clean(content)
    elif isinstance(record, Rewrite) and record.why == CANCELLED:
        turn.is_stopped = True
