"""What a request holds behind the history: notes for this request alone, see `models.with_note`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from minime_core.messages import Message


@dataclass(frozen=True, slots=True)
class Tail:
    """Something behind the messages of the history.

    note: text behind that of the last message.
    messages: more messages.
    """

    note: str = ""
    messages: tuple[Message, ...] = ()

    def onto(self, view: Sequence[Message]) -> Sequence[Message]:
        """Return the messages of a request with this tail."""
        if self.note:
            view = (*view[:-1], replace(view[-1], text=view[-1].text + self.note))
        return (*view, *self.messages) if self.messages else view


def tail_of(messages: Sequence[Message], view: Sequence[Message]) -> Tail | None:
    """Return what `messages` hold behind `view`; None when they are not made of it."""
    same = len(view) - 1
    if len(messages) <= same or any(
        a is not b for a, b in zip(messages[:same], view, strict=False)
    ):
        return None
    last, original = messages[same], view[same]
    if last is original:
        return Tail(messages=tuple(messages[same + 1 :]))
    if len(messages) > len(view) or not last.text.startswith(original.text):
        return None
    return Tail(note=last.text[len(original.text) :])
