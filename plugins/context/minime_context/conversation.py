"""The conversation as it stands: messages with their records, grouped into turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from minime_core.history import History
from minime_core.messages import Message, ToolCall

SUMMARY = "[summary of the conversation before]\n"
SUMMARY_END = "\n[end of the summary]"
TAKEN = "Understood."
"""What the model is made to have said to a summary, since a question has to follow an answer."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A message of the view.

    number: the record that it stands in.
    call: for a result, the call that it is the result of.
    is_alone: whether no other message stands in that record.
    """

    number: int
    message: Message
    call: ToolCall | None = None
    is_alone: bool = True


@dataclass(frozen=True, slots=True)
class Conversation:
    """All of the view but the system message.

    starts: where each turn begins: at a question, a summary not counted.
    """

    entries: Sequence[Entry]
    starts: Sequence[int]

    def first_kept(self, turns: int) -> int:
        """Return where the last `turns` turns begin."""
        return self.starts[-turns] if turns <= len(self.starts) else self.start

    @property
    def start(self) -> int:
        """Return where the first turn begins, behind a summary."""
        return self.starts[0] if self.starts else len(self.entries)

    def is_amid(self, position: int) -> bool:
        """Return whether a cut at `position` parts a turn."""
        return position < len(self.entries) and self.entries[position].message.role != "user"

    def named(self, cut: int) -> str:
        """Return what stands before `cut`, for the user."""
        is_amid = self.is_amid(cut)
        turns = sum(1 for start in self.starts if start < cut) - is_amid
        earlier = [f"{turns} earlier question{'s' * (turns > 1)}"] if turns else []
        return " and ".join([*earlier, *["earlier calls of this one"] * is_amid])

    def question(self, position: int) -> str:
        """Return the question of the turn that the entry at `position` belongs to."""
        begun = [start for start in self.starts if start <= position]
        return split_summary(self.entries[begun[-1]].message.text)[1] if begun else ""

    def summary(self) -> str:
        """Return the summary that it begins with, "" when there is none."""
        return split_summary(self.entries[0].message.text)[0] if self.entries else ""


def read(history: History) -> Conversation:
    """Return the conversation in `history` as the model sees it."""
    numbered = history.numbered()
    shared = [number for number, _ in numbered]
    entries: list[Entry] = []
    starts: list[int] = []
    call: ToolCall | None = None
    for index, (number, message) in enumerate(numbered):
        is_alone = number not in (shared[index - 1 : index] + shared[index + 1 : index + 2])
        of_call = call if message.role == "tool" else None
        entries.append(Entry(number, message, of_call, is_alone))
        call = message.calls[0] if message.calls else None
        if message.role == "user" and split_summary(message.text)[1]:
            starts.append(index)
    return Conversation(entries, starts)


def with_summary(summary: str, question: str = "") -> str:
    """Return the text of a message with a summary, and with a question if there is one."""
    text = f"{SUMMARY}{summary}{SUMMARY_END}"
    return f"{text}\n\n{question}" if question else text


def split_summary(text: str) -> tuple[str, str]:
    """Return the summary in the text of a user message, and the question; each may be ""."""
    if not text.startswith(SUMMARY) or SUMMARY_END not in text:
        return "", text
    summary, _, question = text[len(SUMMARY) :].partition(SUMMARY_END)
    return summary, question.strip()
