"""The policy `runaway`: a model that writes the same for ever, or without end, is stopped at once.

Closing the stream makes the server stop. A call goes back to the model as rejected; text and
thoughts are asked for once more with a note.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from dataclasses import dataclass, field

from minime_core.errors import TurnStopped
from minime_core.events import (
    MessageDone,
    ModelEvent,
    Notice,
    Retracted,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
)
from minime_core.messages import Message, ToolCall
from minime_core.middleware import ModelCall
from minime_core.models import ModelRequest, with_note
from minime_core.turn import StashKey
from minime_guards.repetition import Prose, Repetition, data_limit, thoughts_limit

MAX_ARGUMENTS = 256 << 10
"""Most bytes of one call's arguments."""
CALLS = 2
"""How often in a turn such a call goes back to the model."""

_STEP = 4
"""Characters of text that are looked at together: about a token."""
_TEXTS: StashKey[bool] = StashKey()
_CALLS: StashKey[int] = StashKey()

NOTE = "You began to repeat yourself without end. Do it differently this time, and be brief."


async def wrap(request: ModelRequest, call_next: ModelCall) -> AsyncGenerator[ModelEvent, None]:
    """Pass the answer on until it runs away; then end it, or ask once more."""
    attempt = request
    while True:
        answer = _Answer()
        async with aclosing(call_next(attempt)) as events:
            async for event in events:
                yield event
                if answer.runs_away(event):
                    break
            else:
                return
        stash = request.turn.stash
        if answer.calls:
            count = stash.get(_CALLS, 0) + 1
            stash.set(_CALLS, count)
            name = answer.calls[-1].name
            if count > CALLS:
                text = f"stuck: the model cannot write a call of {name}: {answer.why}"
                raise TurnStopped(text, reason="stuck")
            yield Notice("warning", f"stopped a call of {name}: {answer.why}", "runaway")
            yield answer.done()
            return
        if stash.get(_TEXTS, False):
            raise TurnStopped(f"stuck: in its answer, {answer.why}", reason="stuck")
        stash.set(_TEXTS, True)
        yield Retracted(thinking_only=not answer.text)
        yield Notice("warning", f"stopped the answer: {answer.why}; asking once more", "runaway")
        attempt = with_note(request, NOTE)


@dataclass(slots=True)
class _Call:
    name: str
    fragments: list[str] = field(default_factory=list)
    size: int = 0
    repetition: Repetition = field(default_factory=lambda: Repetition(data_limit))


def _steps(text: str) -> Iterator[str]:
    """Yield `text` in small pieces: much may arrive at once, and run away in its middle."""
    return (text[start : start + _STEP] for start in range(0, len(text), _STEP))


class _Answer:
    """What has come of one answer, and whether it runs away.

    why: what is wrong with it, once it does.
    """

    def __init__(self) -> None:
        self.why = ""
        self.text: list[str] = []
        self.calls: list[_Call] = []
        self._by_index: dict[int, _Call] = {}
        self._thoughts: list[str] = []
        self._prose = Prose()
        self._text_repetition = Repetition(self._prose.limit)
        self._thought_repetition = Repetition(thoughts_limit)

    def runs_away(self, event: ModelEvent) -> bool:
        """Return whether the answer has to be ended after `event`."""
        if isinstance(event, TextDelta):
            self.text.append(event.text)
            is_endless = any(map(self._text_is_endless, _steps(event.text)))
        elif isinstance(event, ThinkingDelta):
            self._thoughts.append(event.text)
            is_endless = any(map(self._thought_repetition.is_endless, _steps(event.text)))
        elif isinstance(event, ToolCallDelta):
            return self._call_runs_away(event)
        else:
            if isinstance(event, Retracted):
                self._forget(event)
            return False
        if is_endless:
            self.why = "it repeated itself without end"
        return is_endless

    def _text_is_endless(self, piece: str) -> bool:
        self._prose.read(piece)
        return self._text_repetition.is_endless(piece)

    def _call_runs_away(self, event: ToolCallDelta) -> bool:
        call = self._by_index.get(event.index)
        if call is None:
            call = self._by_index[event.index] = _Call(event.name)
            self.calls.append(call)
        fragment = event.arguments
        call.fragments.append(fragment)
        call.name = call.name or event.name
        call.size += len(fragment.encode("utf-8", "surrogatepass"))
        if call.size > MAX_ARGUMENTS:
            self.why = f"its arguments were longer than {MAX_ARGUMENTS >> 10} KB"
        elif call.repetition.is_endless(fragment):
            self.why = "its arguments repeated themselves without end"
        return bool(self.why)

    def _forget(self, withdrawn: Retracted) -> None:
        self._thoughts, self._thought_repetition = [], Repetition(thoughts_limit)
        if not withdrawn.thinking_only:
            self.text, self._prose = [], Prose()
            self._text_repetition = Repetition(self._prose.limit)

    def done(self) -> MessageDone:
        """Return the answer as far as it came, its last call rejected.

        Earlier calls keep their arguments as text; the policy `arguments` reads them.
        """
        *whole, last = self.calls
        note = (
            f"[{last.name}: {self.why}, so it was stopped and did NOT run. Write it differently "
            "and much shorter.]"
        )
        calls = [
            ToolCall(name=call.name, arguments={}, raw="".join(call.fragments)) for call in whole
        ]
        calls.append(ToolCall(name=last.name, arguments={}, rejected=note))
        message = Message(
            role="assistant",
            text="".join(self.text),
            thinking="".join(self._thoughts),
            calls=tuple(calls),
        )
        return MessageDone(message=message)
