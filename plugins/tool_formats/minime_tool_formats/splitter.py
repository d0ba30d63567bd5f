"""Divides the text of an answer into segments."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from minime_core.formats import Reading, ToolFormat
from minime_core.tools import Tool
from minime_tool_formats.markdown import MARK, Place
from minime_tool_formats.openers import openers_of
from minime_tool_formats.segments import Accept, Kind, Segment

MAX_MISSES = 50
"""Places of an answer that looked like the beginning of a call and were none, after which the rest
is taken as text: whatever a model writes, reading it must not take for ever."""

_REST_OF_SENTENCE = re.compile(r"[ \t]*+([^\s<\[])?")


class Splitter:
    """Finds the calls of one answer.

    syntaxes: the most specific first.
    """

    def __init__(
        self, syntaxes: Sequence[ToolFormat], tools: Mapping[str, Tool], accept: Accept
    ) -> None:
        self.openers = openers_of(frozenset(o for syntax in syntaxes for o in syntax.openers))
        self.heads = openers_of(frozenset(head for syntax in syntaxes for head in syntax.heads))
        self._syntaxes = syntaxes
        self._tools = tools
        self._accept = accept
        self._misses = 0
        triggers = self.openers.first_characters | {"`", "~"}
        self._trigger = re.compile(f"[{re.escape(''.join(sorted(triggers)))}]")

    def is_plain(self, piece: str, fence: str) -> bool:
        """Return whether `piece`, which does not begin an answer, is text beyond doubt.

        fence: what opened the block of code that it is in; see `Place`.
        """
        if fence:
            return fence[0] not in piece
        if self._trigger.search(piece) is None:
            return True
        if MARK.search(piece) is not None or self.openers.find(piece) < len(piece):
            return False
        return self.openers.may_begin(piece) == len(piece)

    def split(
        self, text: str, place: Place, *, is_start: bool = False, is_final: bool = False
    ) -> list[Segment]:
        """Return the parts of `text`, which begins at `place`.

        The last one is undecided: empty if nothing is, and in the final text.

        is_start: whether `text` begins the answer.
        is_final: whether `text` ends it.
        """
        walk = _Walk(self, text, place, is_start=is_start, is_final=is_final)
        while walk.step():
            pass
        return walk.finish()

    def judge(
        self, text: str, at: int, place: Place, *, is_head: bool, is_final: bool
    ) -> Segment | None:
        """Return what begins at `at`; None when no call does.

        A segment that is text speaks of a call: what begins inside of it is none either.
        """
        if place.fence or self._misses >= MAX_MISSES:
            return None
        code = place.is_in_code(text, at, is_final=is_final)
        if code is None:
            return _undecided(text, at, place)
        judged = None
        if not code:
            judged = self._read(text, at, place, is_head=is_head, is_final=is_final)
        self._misses += judged is None
        return judged

    def _read(
        self, text: str, at: int, place: Place, *, is_head: bool, is_final: bool
    ) -> Segment | None:
        is_undecided = False
        other: Segment | None = None
        for syntax in self._syntaxes:
            strings = (*syntax.openers, *syntax.heads) if is_head else syntax.openers
            if not text.startswith(tuple(strings), at):
                continue
            reading = syntax.read(text, at, self._tools, is_final=is_final)
            if reading is None:
                continue
            is_mentioned = _is_mentioned(text, at, place, reading, is_final=is_final)
            if is_mentioned is None or (reading.is_open and not is_final):
                is_undecided = True
                continue
            if is_mentioned:
                segment = Segment(Kind.TEXT, text[at : reading.end], place)
            else:
                segment = self._segment(text[at : reading.end], place, reading, syntax)
            if segment.kind is Kind.CALL:
                return segment
            other = other or segment
        return _undecided(text, at, place) if is_undecided else other

    def _segment(self, written: str, place: Place, reading: Reading, syntax: ToolFormat) -> Segment:
        accepted = [self._accept(call) for call in reading.calls]
        calls = tuple(call for call in accepted if call is not None)
        if calls and len(calls) == len(accepted):
            return Segment(Kind.CALL, written, place, calls, syntax)
        return Segment(Kind.BROKEN, written, place, reading.calls, syntax)


class _Walk:
    """One way through a text, from code mark to code mark and from opener to opener.

    What stands before `_at` is passed, and `_place` is the place there; what stands before `_start`
    is in segments. From `_limit` on nothing is decided, from `_look` on openers are looked for.
    """

    def __init__(
        self, splitter: Splitter, text: str, place: Place, *, is_start: bool, is_final: bool
    ) -> None:
        self._splitter = splitter
        self._text = text
        self._is_final = is_final
        self._segments: list[Segment] = []
        self._place = self._start_place = place
        self._at = self._start = self._look = 0
        self._head = len(text) - len(text.lstrip()) if is_start else len(text)
        self._limit = len(text)
        if not is_final:
            self._limit = splitter.openers.may_begin(text)
            if splitter.heads.may_begin(text, self._head) == self._head:
                self._limit = min(self._limit, self._head)
        self._mark = MARK.search(text)

    def step(self) -> bool:
        """Pass the next mark or opener; return whether there was one."""
        while self._mark is not None and self._mark.start() < self._at:
            self._mark = MARK.search(self._text, self._at)
        mark_at = self._mark.start() if self._mark else self._limit
        opener_at = self._next_opener()
        at = min(mark_at, opener_at)
        if at >= self._limit:
            return False
        self._pass_text(at)
        if self._mark is not None and mark_at < opener_at:
            return self._pass_mark(self._mark)
        return self._pass_opener()

    def finish(self) -> list[Segment]:
        """Return the segments."""
        self._pass_text(self._limit)
        self._end_text(self._limit)
        self._segments.append(_undecided(self._text, self._limit, self._place))
        return self._segments

    def _next_opener(self) -> int:
        opener = self._splitter.openers.find(self._text, self._look)
        is_head_due = self._look <= self._head < opener
        if is_head_due and self._splitter.heads.end(self._text, self._head) >= 0:
            return self._head
        return opener

    def _pass_text(self, end: int) -> None:
        self._place = self._place.after(self._text[self._at : end])
        self._at = end

    def _pass_mark(self, mark: re.Match[str]) -> bool:
        behind = self._place.after_mark(mark, is_final=self._is_final)
        if behind is None:
            self._limit = self._at
            return False
        self._place, self._at = behind, mark.end()
        self._look = max(self._look, self._at)
        return True

    def _pass_opener(self) -> bool:
        segment = self._splitter.judge(
            self._text,
            self._at,
            self._place,
            is_head=self._at == self._head,
            is_final=self._is_final,
        )
        if segment is None:
            self._look = self._at + 1
            return True
        if segment.kind is Kind.UNDECIDED:
            self._limit = self._at
            return False
        if segment.kind is Kind.TEXT:
            self._look = self._at + len(segment.text)
            return True
        self._end_text(self._at)
        self._segments.append(segment)
        self._at += len(segment.text)
        self._start = self._look = self._at
        self._start_place = self._place = replace(self._place, last=segment.text[-1])
        return True

    def _end_text(self, end: int) -> None:
        if self._start < end:
            text = self._text[self._start : end]
            self._segments.append(Segment(Kind.TEXT, text, self._start_place))


def _undecided(text: str, at: int, place: Place) -> Segment:
    return Segment(Kind.UNDECIDED, text[at:], place)


def _is_mentioned(
    text: str, at: int, place: Place, reading: Reading, *, is_final: bool
) -> bool | None:
    """Return whether the text speaks of a call rather than making it; None for not yet known.

    It does in quotation marks, and in the middle of a line, unless the call is all of the rest.
    """
    if place.is_quoted:
        return True
    if place.is_line_start or "\n" in text[at : reading.end]:
        return False
    rest = _REST_OF_SENTENCE.match(text, reading.end)
    assert rest is not None
    if rest[1] is None and rest.end() == len(text) and not is_final:
        return None
    return rest[1] is not None or not reading.calls
