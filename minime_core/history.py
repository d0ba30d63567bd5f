"""The one owner of the conversation: an append-only log, and the view of it that the model gets.

The view always has the shape that every chat template accepts: one system message, first; user and
assistant alternate; one call per assistant message, followed by its result; no user message
straight after a result. What is missing is filled when the next message is appended, never later,
so that a request begins with the bytes of the one before it.
"""

from __future__ import annotations

import re
import time
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Protocol

from minime_core.errors import SessionFileError
from minime_core.messages import Message, Timings, ToolCall, Usage
from minime_core.records import Edit, MessageRecord, Meta, Record, Rewrite

NO_ANSWER = "[this question was not answered]"
NO_RESULT = "[interrupted before it finished: the result is unknown]"


class Store(Protocol):
    """Where records go. See `store.SessionFile`."""

    def append(self, record: Record) -> None: ...


class History:
    """The records of one session. The system message is in its first record, and fixed with it.

    records: what a resumed session already holds; later ones are also given to `store`. Raises
        SessionFileError when they are not the records of a conversation.
    """

    def __init__(self, records: Iterable[Record] = (), store: Store | None = None) -> None:
        self._system: tuple[Message, ...] = ()
        self._records: list[Record] = []
        self._store: Store | None = None
        self._ids: set[str] = set()
        self._slots: dict[int, tuple[Message, ...]] = {}
        self._view: list[Message] = []
        for record in records:
            try:
                self.append(record)
            except ValueError as error:
                raise SessionFileError(
                    f"record {len(self._records) + 1} of the session cannot be used: {error}"
                ) from error
        self._store = store
        self.loaded = len(self._records)
        """How many of the records were read from a file, which others may have written."""

    @property
    def records(self) -> Sequence[Record]:
        """All records, oldest first; a record's index is its number."""
        return self._records

    def view(self) -> Sequence[Message]:
        """Return the messages that the model sees now; the same objects in each call."""
        return tuple(self._view)

    def numbered(self) -> Sequence[tuple[int, Message]]:
        """Return the view without the system message, each with the record that it stands in."""
        return [(number, m) for number in sorted(self._slots) for m in self._slots[number]]

    def append(self, record: Record) -> int:
        """Add `record`, store it, and return its number.

        Raises ValueError for one that would leave a view that some chat template refuses.
        """
        number = len(self._records)
        if isinstance(record, MessageRecord):
            self._extend(number, record.message)
        elif isinstance(record, Rewrite):
            self._apply(record)
        elif number == 0 and isinstance(record, Meta) and (text := record.values.get("system")):
            self._system = (Message(role="system", text=str(text)),)
            self._view.extend(self._system)
        self._records.append(record)
        if self._store is not None:
            self._store.append(record)
        return number

    def add_question(self, text: str, images: tuple[str, ...] = ()) -> int:
        """Append a user message, filling in what an earlier turn left open; return its number."""
        if self._view and (calls := self._view[-1].calls):
            self.add_result(calls[0], NO_RESULT)
        if self._view and self._view[-1].role in ("user", "tool"):
            self._add(Message(role="assistant", text=NO_ANSWER))
        return self._add(Message(role="user", text=text, images=images))

    def add_answer(
        self, message: Message, usage: Usage = Usage(), timings: Timings = Timings()
    ) -> None:
        """Append an assistant message that carries at most one call.

        Of the call is kept what the model shall see: a name as any server takes it, no `raw`.
        """
        calls = tuple(
            replace(call, name=_server_name(call.name), raw=None, rejected=None)
            for call in message.calls
        )
        self._add(replace(message, calls=calls), usage, timings)

    def add_result(self, call: ToolCall, text: str) -> None:
        """Append the result of the call that was appended last."""
        self._add(Message(role="tool", text=text, call_id=call.id))

    def withdraw(self, first: int, why: str) -> None:
        """Drop the messages of all records from number `first` on from the view."""
        last = len(self._records) - 1
        self.append(Rewrite(why=why, edits=(Edit(first=first, last=last),)))

    def new_call_id(self) -> str:
        """Return the id for the next call.

        Nine digits: Mistral's templates take nothing but nine letters or digits.
        """
        number = len(self._ids) + 1
        while f"{number:09d}" in self._ids:
            number += 1
        return f"{number:09d}"

    def _add(self, message: Message, usage: Usage = Usage(), timings: Timings = Timings()) -> int:
        record = MessageRecord(
            message=message,
            usage=None if usage == Usage() else usage,
            timings=None if timings == Timings() else timings,
            at=round(time.time(), 2),
        )
        return self.append(record)

    def _extend(self, number: int, message: Message) -> None:
        if fault := _misfit(self._view[-1] if self._view else None, message, self._ids):
            raise ValueError(f"the history cannot go on with {fault}")
        self._ids.update(call.id for call in message.calls)
        self._slots[number] = (message,)
        self._view.append(message)

    def _apply(self, rewrite: Rewrite) -> None:
        slots = dict(self._slots)
        for edit in rewrite.edits:
            if not 0 <= edit.first <= edit.last < len(self._records):
                raise ValueError(f"the rewrite {rewrite.why!r} edits records that are not there")
            slots |= {number: () for number in slots if edit.first <= number <= edit.last}
            slots[edit.first] = edit.messages
        view = [*self._system, *(message for number in sorted(slots) for message in slots[number])]
        if fault := shape_fault(view):
            raise ValueError(f"the rewrite {rewrite.why!r} leaves {fault}")
        self._slots, self._view = slots, view


def shape_fault(messages: Sequence[Message]) -> str | None:
    """Return what a chat template may refuse in the shape of `messages`, or None.

    The rules are those that all of 71 templates of llama.cpp's collection accept.
    """
    ids: set[str] = set()
    previous: Message | None = None
    for index, message in enumerate(messages):
        if fault := _misfit(previous, message, ids):
            return f"message {index}: {fault}"
        ids.update(call.id for call in message.calls)
        previous = message
    return None


_FOLLOWS = {"system": (None,), "user": (None, "system", "assistant"), "assistant": ("user", "tool")}


def _misfit(previous: Message | None, message: Message, ids: Collection[str]) -> str | None:
    """Return what is wrong with `message` right after `previous`, or None.

    ids: those of earlier calls.
    """
    before = previous.role if previous else None
    expected = previous.calls[0].id if previous and previous.calls else ""
    if (message.role == "tool") != bool(expected) or message.call_id != expected:
        return f"role {message.role}: calls and results do not pair"
    if message.role != "tool" and before not in _FOLLOWS[message.role]:
        return f"role {message.role} after {before or 'nothing'}"
    if len(message.calls) > (message.role == "assistant"):
        return f"role {message.role} with {len(message.calls)} calls"
    for call in message.calls:
        if call.id in ids or not re.fullmatch("[0-9A-Za-z]{9}", call.id):
            return f"the call id {call.id!r}"
    return None


def _server_name(name: str) -> str:
    # What OpenAI's API takes; other servers follow it.
    return re.sub("[^0-9A-Za-z_-]", "_", name)[:64] or "_"
