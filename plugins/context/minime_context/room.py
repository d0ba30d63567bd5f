"""Making room: old outputs are masked, then old turns summarised, then what is left is shortened.

All of it is written as `Rewrite` records, in batches: each of them makes the server read what
follows anew, so one has to last for a while.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Iterator, Sequence
from contextlib import aclosing

from minime_context.budget import Budget, divide
from minime_context.conversation import (
    TAKEN,
    Conversation,
    Entry,
    read,
    with_summary,
)
from minime_context.counting import SOURCE
from minime_context.digest import digest
from minime_context.masking import Masking, oldest_first
from minime_context.measures import Measures
from minime_context.settings import ContextSettings
from minime_context.shortening import shortened
from minime_context.summary import Summary, merged, summary_request
from minime_core.events import ModelEvent, Notice
from minime_core.messages import Message
from minime_core.middleware import ModelCall
from minime_core.models import ModelRequest
from minime_core.records import Edit, Rewrite
from minime_core.session import Session

WORTH = 0.2
"""Part of the room that a summary has to free, unless it is all that is needed."""
LAST_CALLS = 2
"""Calls of the present turn that are never summarised, and whose outputs are masked last."""
ASKING = 200
"""Tokens that the question for a summary takes, and what an estimate may be off."""
NO_ROOM = "; not even the last questions fit as they are"
BATCH = 10
"""Outputs that are masked together where the window is unknown."""


class Room:
    """Keeps one session's conversation within the window."""

    def __init__(self, session: Session, settings: ContextSettings, measures: Measures) -> None:
        self._session = session
        self._settings = settings
        self._sizes = measures.sizes
        self._meter = measures.meter
        self._window = measures.window

    def budget(self, window: int) -> Budget:
        """Return how the window is divided in this session."""
        tools = tuple(self._session.tools.values())
        system = [m for m in self._session.history.view()[:1] if m.role == "system"]
        fixed = self._meter.part(self._sizes.of_tools(tools) + self._of_messages(system))
        return divide(
            window,
            fixed,
            threshold=self._settings.threshold,
            summary=self._settings.summary_max_tokens,
        )

    def used(self) -> int:
        """Return the tokens of the conversation as it stands, with the fixed prompt."""
        tools = tuple(self._session.tools.values())
        return self._meter.tokens(self._sizes.of(self._session.history.view(), tools))

    async def make(
        self, request: ModelRequest, call_next: ModelCall
    ) -> AsyncGenerator[ModelEvent, None]:
        """Rewrite the history where the next request is too long; yield what the user should know.

        The request itself stays as it is: its messages have to be taken from the history again.
        """
        window = self._window.tokens
        if window is None:
            events = self._by_messages(request, call_next)
        elif self.used() > (budget := self.budget(window)).trigger:
            events = self._by_tokens(request, call_next, budget)
        else:
            return
        async with aclosing(events):
            async for event in events:
                yield event

    async def compact(
        self, request: ModelRequest, call_next: ModelCall, wish: str
    ) -> AsyncGenerator[ModelEvent, None]:
        """Summarise old turns because the user says so.

        Those that are kept otherwise too, when there are no others.
        """
        talk = read(self._session.history)
        turns = (self._settings.keep_last_turns, 1)
        cuts = (*map(talk.first_kept, turns), len(talk.entries))
        cut = next((cut for cut in cuts if cut > talk.start), 0)
        if not cut:
            return
        async with aclosing(self._summarise(request, call_next, talk, cut, wish)) as events:
            async for event in events:
                yield event

    async def _by_tokens(
        self, request: ModelRequest, call_next: ModelCall, budget: Budget
    ) -> AsyncGenerator[ModelEvent, None]:
        if budget.fixed >= budget.limit:
            # Nothing would help.
            return
        talk = read(self._session.history)
        kept = talk.first_kept(self._settings.keep_last_turns)
        if self._is_settled_by(self._masking(talk.entries[:kept], budget), budget):
            yield self._mask(talk.entries[:kept], budget)
            return
        if kept > talk.start and self._is_worth_it(talk.entries[:kept], budget):
            async with aclosing(self._summarise(request, call_next, talk, kept)) as events:
                async for event in events:
                    yield event
        if self.used() > budget.settled:
            for notice in self._mask_kept(budget):
                yield notice
        if self.used() > budget.trigger:
            talk = read(self._session.history)
            cut = _before_last_calls(talk)
            if cut > talk.start and self._is_worth_it(talk.entries[:cut], budget):
                kept = talk.first_kept(self._settings.keep_last_turns)
                why = NO_ROOM if kept < cut else ""
                asking = self._summarise(request, call_next, talk, cut, why=why)
                async with aclosing(asking) as events:
                    async for event in events:
                        yield event
        if self.used() > budget.limit:
            for notice in self._shorten(budget):
                yield notice

    async def _by_messages(
        self, request: ModelRequest, call_next: ModelCall
    ) -> AsyncGenerator[ModelEvent, None]:
        """Make room by the number of messages, as nothing better is known."""
        talk = read(self._session.history)
        if len(talk.entries) <= self._settings.max_messages:
            return
        kept = talk.first_kept(self._settings.keep_last_turns)
        if kept - talk.start > BATCH:
            async with aclosing(self._summarise(request, call_next, talk, kept)) as events:
                async for event in events:
                    yield event
            return
        masking = oldest_first(talk.entries[: -2 * BATCH], self._session.tools, 1 << 62)
        if len(masking.edits) >= BATCH:
            yield self._rewrite_masked(masking)

    # What is left after a step is judged by the same estimate as before it.

    def _masking(self, entries: Sequence[Entry], budget: Budget) -> Masking:
        wanted = self._meter.bytes(self.used() - budget.low)
        return oldest_first(entries, self._session.tools, wanted)

    def _is_settled_by(self, masking: Masking, budget: Budget) -> bool:
        left = self.used() - self._meter.part(masking.gain)
        return bool(masking.edits) and left <= budget.settled

    def _is_worth_it(self, entries: Sequence[Entry], budget: Budget) -> bool:
        """Return whether a summary of `entries` frees what is needed, or at least much."""
        size = self._of_messages(entry.message for entry in entries)
        # What masking would free as well does not count: it costs no request.
        size -= oldest_first(entries, self._session.tools, 1 << 62).gain
        freed = self._meter.part(size) - budget.summary
        needed = self.used() - budget.settled
        return freed >= min(needed, int(WORTH * (budget.trigger - budget.fixed)))

    def _mask(self, entries: Sequence[Entry], budget: Budget) -> Notice:
        return self._rewrite_masked(self._masking(entries, budget))

    def _mask_kept(self, budget: Budget) -> Iterator[Notice]:
        """Mask outputs of the last turns too, but none that the model has not seen yet."""
        entries, tools = read(self._session.history).entries, self._session.tools
        masking = self._masking(entries[: -2 * LAST_CALLS], budget)
        if self.used() - self._meter.part(masking.gain) > budget.settled:
            seen = len(entries) - (entries[-1].message.role == "tool")
            wanted = self._meter.bytes(self.used() - budget.settled)
            masking = oldest_first(entries[:seen], tools, wanted)
        if masking.edits:
            yield self._rewrite_masked(masking, "of the last questions too, for want of room")

    def _rewrite_masked(self, masking: Masking, where: str = "") -> Notice:
        before = self.used()
        self._session.history.append(Rewrite(why="masked outputs", edits=masking.edits))
        count = len(masking.edits)
        what = f"{count} earlier tool output{'s' if count > 1 else ''} masked"
        return self._told(f"{what} {where}".strip(), before)

    def _shorten(self, budget: Budget) -> Iterator[Notice]:
        """Cut the longest messages, as nothing else is left."""
        entries = [entry for entry in read(self._session.history).entries if entry.is_alone]
        for entry in sorted(entries, key=lambda entry: -len(entry.message.text)):
            before = self.used()
            if before <= budget.limit:
                return
            short = shortened(entry.message, self._meter.bytes(before - budget.trigger))
            if short is None:
                return
            edit = Edit(first=entry.number, last=entry.number, messages=(short,))
            self._session.history.append(Rewrite(why="shortened a message", edits=(edit,)))
            what = "your message" if short.role == "user" else f"a message of the {short.role}"
            text = f"{what} was too long for the window: the model sees its beginning and its end"
            yield self._told(text, before, level="warning")

    async def _summarise(
        self,
        request: ModelRequest,
        call_next: ModelCall,
        talk: Conversation,
        cut: int,
        wish: str = "",
        why: str = "",
    ) -> AsyncGenerator[ModelEvent, None]:
        """Put a summary in the place of all before `cut`."""
        before, most = self.used(), self._most_summary()
        entries = talk.entries[:cut]
        yield Notice("info", f"summarising {talk.named(cut)}{why}", SOURCE)
        summary = Summary()
        for masked in (False, True):
            asked = summary_request(
                request,
                [*self._system(), *self._sent(entries, most, masked=masked)],
                most=most,
                prompt=self._settings.prompt,
                wish=wish,
                has_summary=bool(talk.summary()),
            )
            async with aclosing(summary.ask(asked, call_next)) as events:
                async for event in events:
                    yield event
            if not summary.has_overflown:
                break
        limit = self._meter.bytes(most)
        written = summary.text or digest(entries, self._session.tools, limit)
        text = merged(talk.summary(), written, limit)
        self._replace(talk, cut, text)
        if summary.text:
            yield self._told("summarised", before)
        else:
            told = f"{summary.fault}: instead of a summary, earlier questions are listed by name"
            yield self._told(told, before, level="warning")

    def _replace(self, talk: Conversation, cut: int, summary: str) -> None:
        """Write the summary into the history. A question that is being worked on stays whole."""
        is_amid = talk.is_amid(cut)
        question = talk.question(cut) if is_amid else ""
        messages = [Message(role="user", text=with_summary(summary, question))]
        if not is_amid:
            messages.append(Message(role="assistant", text=TAKEN))
        first, last = talk.entries[0].number, talk.entries[cut - 1].number
        edit = Edit(first=first, last=last, messages=tuple(messages))
        self._session.history.append(Rewrite(why="summary", edits=(edit,)))

    def _sent(self, entries: Sequence[Entry], most: int, *, masked: bool) -> Iterable[Message]:
        """Return what the model is to summarise, with as few outputs as have to be."""
        messages = [entry.message for entry in entries]
        window = self._window.tokens
        if window is None and not masked:
            return messages
        limit = window or 0
        tools = tuple(self._session.tools.values())
        size = self._sizes.of_tools(tools) + self._of_messages([*self._system(), *messages])
        over = self._meter.tokens(size) + most + ASKING - limit
        wanted = 1 << 62 if masked else self._meter.bytes(max(over, 0))
        masking = oldest_first(entries, self._session.tools, wanted)
        stubs = {edit.first: edit.messages[0] for edit in masking.edits}
        return [stubs.get(entry.number, entry.message) for entry in entries]

    def _most_summary(self) -> int:
        window = self._window.tokens
        if window is None:
            return self._settings.summary_max_tokens
        return self.budget(window).summary

    def _system(self) -> Sequence[Message]:
        return [m for m in self._session.history.view()[:1] if m.role == "system"]

    def _of_messages(self, messages: Iterable[Message]) -> int:
        return sum(self._sizes.of_message(message) for message in messages)

    def _told(self, what: str, before: int, *, level: str = "info") -> Notice:
        text = f"{what}: about {before:,} tokens became {self.used():,}"
        return Notice("warning" if level == "warning" else "info", text, SOURCE)


def _before_last_calls(talk: Conversation) -> int:
    """Return where the last calls of the present turn begin, or the turn itself."""
    begins = talk.starts[-1] if talk.starts else len(talk.entries)
    calls = [i for i, e in enumerate(talk.entries) if i > begins and e.message.calls]
    return calls[-LAST_CALLS] if len(calls) > LAST_CALLS else begins
