"""Tells thinking from answer while an answer is written.

A tag counts where its family writes it: `<think>` and its like at the beginning, a closing tag that
nothing opened at the end of a line of thinking, the control tokens of Gemma 4 and gpt-oss anywhere.
Inside code every tag is text.
"""

from __future__ import annotations

from minime_core.events import ModelEvent, Retracted, TextDelta, ThinkingDelta
from minime_guards.code_spans import CodeSpans
from minime_guards.think_tags import (
    CLOSERS,
    GEMMA_CLOSER,
    GEMMA_OPENER,
    HARMONY_ENDS,
    HARMONY_OPENER,
    IN_TEXT,
    OPENERS,
    any_of,
    begins,
    half_tag,
)

MAX_BLANK = 64
"""Most white space at the beginning that is held back for a tag behind it."""
MAX_WITHDRAWALS = 3
"""How often text can turn out to have been thinking; a closing tag after that is text."""


class Splitter:
    """Splits one answer. Where its pieces are cut makes no difference to text and thoughts."""

    def __init__(self) -> None:
        self._step = self._start
        self._is_text = False
        self._held = ""
        self._is_last = False
        self._events: list[ModelEvent] = []
        self._text: list[str] = []
        self._thoughts: list[str] = []
        # Of thinking: what ends the block, and its last character.
        self._ends: tuple[str, ...] = ()
        self._block = ""
        self._has_thought = False
        # Of the answer: whether it has words, what of it is code, which tags it only speaks of.
        self._has_words = False
        self._spans = CodeSpans()
        self._unread: list[str] = []
        self._spoken: set[str] = set()
        self._is_harmony = False
        self._withdrawals = 0

    @property
    def text(self) -> str:
        """The answer so far."""
        return "".join(self._text)

    @property
    def thoughts(self) -> str:
        """The thinking so far."""
        return "".join(self._thoughts)

    def note_thought(self, piece: str) -> None:
        """Take note of thinking that the server itself told apart."""
        self._thoughts.append(piece)

    def passes(self, piece: str) -> bool:
        """Return whether `piece` is shown as it stands, which costs least; else feed it."""
        if self._held or not (self._is_text and self._has_words) or "<" in piece:
            return False
        self._text.append(piece)
        self._unread.append(piece)
        return True

    def feed(self, piece: str) -> list[ModelEvent]:
        """Return what to show now that `piece` has come."""
        self._held += piece
        return self._run()

    def end(self) -> list[ModelEvent]:
        """Return what to show of what was held back."""
        self._is_last = True
        return self._run()

    def _run(self) -> list[ModelEvent]:
        is_shown = bool(self._text or self._thoughts)
        self._at = 0
        while self._at < len(self._held) and self._step():
            pass
        self._held = self._held[self._at :]
        events, self._events = self._events, []
        if not is_shown and Retracted() in events:
            # Nobody has seen what was withdrawn.
            del events[: len(events) - events[::-1].index(Retracted())]
        return events

    # A step takes from what is held, and returns whether there is something to do for the next.

    def _start(self) -> bool:
        """At the beginning, or behind thinking: a block of thinking may follow."""
        at = self._at
        while self._held[at : at + 1].isspace():
            at += 1
        if self._has_thought:
            self._at = at
        opener = next((tag for tag in OPENERS if self._held.startswith(tag, at)), "")
        if opener:
            self._at = at + len(opener)
            self._open((OPENERS[opener],))
        elif self._is_last or at - self._at > MAX_BLANK or not begins(self._held[at:], OPENERS):
            self._step, self._is_text = self._in_text, True
        else:
            return False
        return True

    def _in_thinking(self) -> bool:
        pattern = any_of(self._ends)
        end = pattern.search(self._held, self._at)
        while end and (self._held[self._at : end.start()][-1:] or self._block) == "`":
            end = pattern.search(self._held, end.end())
        if end is None:
            kept = 0 if self._is_last else half_tag(self._held[self._at :], self._ends)
            self._think(len(self._held) - kept)
            return False
        self._think(end.start())
        self._at = end.start() if self._ends is HARMONY_ENDS else end.end()
        self._close()
        return True

    def _in_text(self) -> bool:
        tag = any_of(IN_TEXT).search(self._held, self._at)
        if tag is None:
            kept = 0 if self._is_last else half_tag(self._held[self._at :], IN_TEXT)
            self._show(len(self._held) - kept)
            return False
        self._show(tag.start())
        if tag[0] in CLOSERS and tag.end() == len(self._held) and not self._is_last:
            # What follows tells whether it closes anything.
            return False
        if self._does(tag[0], self._held[tag.end() : tag.end() + 1]):
            self._at = tag.end()
        else:
            self._show(tag.end())
        return True

    def _does(self, tag: str, after: str) -> bool:
        """Do what `tag` stands for; return False when it is text."""
        self._spans.read("".join(self._unread))
        self._unread.clear()
        if self._spans.is_code:
            return False
        if tag in OPENERS:
            self._spoken.add(OPENERS[tag])
            return False
        if tag == GEMMA_OPENER:
            self._open((GEMMA_CLOSER,))
        elif tag == HARMONY_OPENER:
            self._is_harmony = True
            self._open(HARMONY_ENDS)
        elif tag == GEMMA_CLOSER or tag in CLOSERS:
            if not self._is_end_of_thinking(tag, after):
                return False
            self._withdraw()
        elif self._is_harmony or not self._has_words:
            self._is_harmony = True
        else:
            return False
        return True

    def _is_end_of_thinking(self, closer: str, after: str) -> bool:
        """Return whether a closing tag that nothing opened ends thinking, or is only spoken of."""
        if closer in self._spoken or self._withdrawals == MAX_WITHDRAWALS:
            return False
        if closer == GEMMA_CLOSER or self._spans.is_blank:
            return True
        before = self._text[-1][-1]
        return not before.isspace() and before not in "`\"'" and after in ("", "\n")

    def _withdraw(self) -> None:
        """Make thinking of all the text so far."""
        self._withdrawals += self._has_words
        if self._text:
            text, thoughts = self.text, self.thoughts
            self._text, self._thoughts = [], []
            self._events.append(Retracted())
            for piece in (thoughts, text):
                self._block = ""
                self._show_thought(piece)
        self._has_words = False
        self._spans = CodeSpans()
        self._close()

    def _open(self, ends: tuple[str, ...]) -> None:
        self._ends, self._block = ends, ""
        self._step, self._is_text = self._in_thinking, False

    def _close(self) -> None:
        self._has_thought = True
        self._step, self._is_text = self._start, False

    def _think(self, end: int) -> None:
        self._show_thought(self._held[self._at : end])
        self._at = end

    def _show_thought(self, piece: str) -> None:
        if not self._block:
            piece = piece.lstrip("\n")
            if piece and self._thoughts:
                piece = f"\n{piece}"
        if piece:
            self._block = piece[-1]
            self._thoughts.append(piece)
            self._events.append(ThinkingDelta(piece))

    def _show(self, end: int) -> None:
        if piece := self._held[self._at : end]:
            self._at = end
            self._has_words = self._has_words or not piece.isspace()
            self._text.append(piece)
            self._unread.append(piece)
            self._events.append(TextDelta(piece))


def split(text: str) -> tuple[str, str]:
    """Return the thinking and the answer in the whole `text`."""
    splitter = Splitter()
    splitter.feed(text)
    splitter.end()
    return splitter.thoughts, splitter.text
