"""The one owner of the conversation: an append-only log, and the view of it that the model gets.

The view always has the shape that every chat template accepts: one system message, first; user and
assistant alternate; one call per assistant message, followed by its result; no user message straight
after a result. What is missing is filled when the next message is appended, never later, so that a
request begins with the bytes of the one before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Protocol

from minime_core.messages import Message, ToolCall, Usage, clean_text
from minime_core.records import Edit, MessageRecord, Meta, Record, Rewrite

NO_ANSWER = "[this question was not answered]"
NO_RESULT = "[interrupted before it finished: the result is unknown]"


class Store(Protocol):
    """Where records go. See `store.SessionFile`."""

    def append(self, record: Record) -> None: ...


class History:
    """The records of one session. The system message is in its first record, and fixed with it.

    records: what a resumed session already holds; later ones are also given to `store`.
    """

    def __init__(self, records: Iterable[Record] = (), store: Store | None = None) -> None:
        self._system: list[Message] = []
        self._records: list[Record] = []
        self._store: Store | None = None
        self._calls = 0
        self._slots: dict[int, tuple[Message, ...]] = {}
        self._view: list[Message] = []
        for record in records:
            self.append(record)
        self._store = store

    @property
    def records(self) -> Sequence[Record]:
        """All records, oldest first; a record's index is its number."""
        return self._records

    def view(self) -> Sequence[Message]:
        """Return the messages that the model sees; the same objects in each call."""
        return self._view

    def append(self, record: Record) -> int:
        """Add `record`, store it, and return its number.

        Raises ValueError for a rewrite that would leave a view that some chat template refuses.
        """
        number = len(self._records)
        if number == 0 and isinstance(record, Meta) and record.values.get("system"):
            self._system = [Message(role="system", text=record.values["system"])]
            self._view.extend(self._system)
        elif isinstance(record, Rewrite):
            self._apply(record)
        elif isinstance(record, MessageRecord):
            self._slots[number] = (record.message,)
            self._view.append(record.message)
            self._calls += len(record.message.calls)
        self._records.append(record)
        if self._store is not None:
            self._store.append(record)
        return number

    def add_question(self, text: str) -> int:
        """Append a user message, filling in what an earlier turn left open; return its number."""
        last = self._view[-1] if self._view else None
        if last is not None and last.calls:
            self.add_result(last.calls[0], NO_RESULT)
        if last is not None and last.role != "system" and (last.role != "assistant" or last.calls):
            self._add(Message(role="assistant", text=NO_ANSWER))
        return self._add(Message(role="user", text=clean_text(text)))

    def add_answer(self, message: Message, usage: Usage | None = None) -> None:
        """Append an assistant message that carries at most one call."""
        assert len(message.calls) <= 1, "calls are appended one after the other"
        text, thinking = clean_text(message.text), clean_text(message.thinking)
        self._add(replace(message, text=text, thinking=thinking), usage)

    def add_result(self, call: ToolCall, text: str) -> None:
        """Append the result of the call that was appended last."""
        self._add(Message(role="tool", text=clean_text(text), call_id=call.id))

    def withdraw(self, first: int, why: str) -> None:
        """Drop the messages of all records from number `first` on from the view."""
        last = len(self._records) - 1
        self.append(Rewrite(why=why, edits=(Edit(first=first, last=last),)))

    def new_call_id(self, ahead: int = 0) -> str:
        """Return the id for the next call, or for one `ahead` calls later.

        Nine digits: Mistral's templates take nothing but nine letters or digits.
        """
        return f"{self._calls + ahead + 1:09d}"

    def _add(self, message: Message, usage: Usage | None = None) -> int:
        return self.append(MessageRecord(message=message, usage=usage))

    def _apply(self, rewrite: Rewrite) -> None:
        slots = dict(self._slots)
        for edit in rewrite.edits:
            for number in range(edit.first, edit.last + 1):
                if number in slots:
                    slots[number] = ()
            slots[edit.first] = edit.messages
        view = [*self._system, *(m for n in sorted(slots) for m in slots[n])]
        if fault := shape_fault(view):
            raise ValueError(f"the rewrite {rewrite.why!r} leaves {fault}")
        self._slots, self._view = slots, view


def shape_fault(messages: Sequence[Message]) -> str | None:
    """Return what a chat template may refuse in the shape of `messages`, or None.

    The rules are those that all of 71 templates of llama.cpp's collection accept.
    """
    ids: set[str] = set()
    previous = Message(role="system")
    for index, message in enumerate(messages):
        where = f"message {index} ({message.role})"
        expected = previous.calls[0].id if previous.calls else ""
        if message.role == "system" and index > 0:
            return f"{where}: a system message that is not the first"
        if (message.role == "tool") != bool(expected) or message.call_id != expected:
            return f"{where}: calls and results do not pair"
        if message.role == "user" and previous.role not in ("system", "assistant"):
            return f"{where}: a user message after a {previous.role} message"
        if message.role == "assistant" and previous.role not in ("user", "tool"):
            return f"{where}: an assistant message after a {previous.role} message"
        if len(message.calls) > 1:
            return f"{where}: several calls in one message"
        for call in message.calls:
            if call.id in ids or not (len(call.id) == 9 and call.id.isalnum()):
                return f"{where}: the call id {call.id!r}"
            ids.add(call.id)
        previous = message
    return None
