"""Finds calls in an answer while it is written, and holds back what may become one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from minime_core.formats import ToolFormat
from minime_core.messages import ToolCall
from minime_core.tools import Tool
from minime_tool_formats.markdown import Place
from minime_tool_formats.segments import Accept, Kind, Segment
from minime_tool_formats.splitter import Splitter

GROWTH = 1.25
"""Factor by which held text grows until it is read again, so that time is linear in the text."""


@dataclass(frozen=True, slots=True)
class Broken:
    """What was written as a call at the end of an answer, and cannot be made.

    calls: empty when not even the name of the tool could be read.
    """

    text: str
    syntax: ToolFormat
    calls: tuple[ToolCall, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """What came of the text that was held back until the end.

    text: what is no call.
    broken: what stands behind `text`; only where there are no calls.
    """

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    broken: Broken | None = None


class Finder:
    """Reads one answer.

    syntaxes: the most specific first.
    """

    def __init__(
        self, syntaxes: Sequence[ToolFormat], tools: Mapping[str, Tool], accept: Accept
    ) -> None:
        self._splitter = Splitter(syntaxes, tools, accept)
        # The place at the beginning of what was passed on unread, which what is held follows.
        self._place = Place()
        self._passed: list[str] = []
        self._held: list[str] = []
        self._held_length = 0
        self._next_look = 0
        self._is_start = True
        self._has_call = False

    def feed(self, piece: str) -> str:
        """Return what, after `piece`, surely is text. The rest is held back."""
        is_open = self._held or self._is_start
        if not is_open and self._splitter.is_plain(piece, self._place.fence):
            self._passed.append(piece)
            return piece
        self._held.append(piece)
        self._held_length += len(piece)
        if self._has_call or self._held_length < self._next_look:
            return ""
        return self._look()

    def end(self) -> Found:
        """Return what the text that is still held back has turned out to be."""
        text = self.release()
        segments = self._splitter.split(text, self._place, is_start=self._is_start, is_final=True)
        calls = [call for segment in segments for call in _calls(segment)]
        if calls:
            around = "".join(s.text for s in segments if s.kind is not Kind.CALL)
            return Found(around if around.strip() else "", tuple(calls))
        tail = segments[_tail(segments) :]
        if tail[0].syntax is None:
            return Found(text)
        written = "".join(segment.text for segment in tail)
        broken = Broken(written, tail[0].syntax, tail[0].calls)
        return Found(text.removesuffix(written), broken=broken)

    def release(self) -> str:
        """Return all that is held back, and hold nothing."""
        self._place = self._place.after("".join(self._passed))
        text = "".join(self._held)
        self._passed, self._held, self._held_length, self._next_look = [], [], 0, 0
        return text

    def _look(self) -> str:
        text = self.release()
        segments = self._splitter.split(text, self._place, is_start=self._is_start)
        kinds = [segment.kind for segment in segments]
        # Behind a call all is held back: a call of the protocol may still come and win.
        self._has_call = Kind.CALL in kinds
        decided = segments[: kinds.index(Kind.CALL) + 1] if self._has_call else segments
        tail = _tail(decided)
        shown = "".join(segment.text for segment in segments[:tail])
        self._place = segments[tail].place
        self._is_start = self._is_start and not shown.strip()
        if held := text[len(shown) :]:
            self._held, self._held_length = [held], len(held)
            self._next_look = int(len(held) * GROWTH) + 1
        return shown


def last_calls(segments: Sequence[Segment]) -> tuple[int, int]:
    """Return from where to where the last calls stand that have nothing but space between them.

    Both are 0 when there are none.
    """
    indices = [index for index, s in enumerate(segments) if s.kind is Kind.CALL]
    if not indices:
        return 0, 0
    first = last = indices[-1]
    for index in reversed(indices):
        if "".join(s.text for s in segments[index + 1 : first]).strip():
            break
        first = index
    return first, last + 1


def _calls(segment: Segment) -> tuple[ToolCall, ...]:
    return segment.calls if segment.kind is Kind.CALL else ()


def _tail(segments: Sequence[Segment]) -> int:
    """Return the index of the last segment, or of the broken calls directly before it."""
    tail = at = len(segments) - 1
    while at > 0:
        at -= 1
        if segments[at].kind is Kind.BROKEN:
            tail = at
        elif segments[at].text.strip():
            break
    return tail
