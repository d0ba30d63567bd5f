"""The policy `resume`: an answer that the network cut off is continued, as one text for the user.

Text that was shown goes back to the model as the beginning of its answer; thinking is withdrawn; a
half-written call is written again. A server that refuses connections now has crashed, and nothing
is waited for.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from dataclasses import replace

from minime_core.errors import ConnectionFailed, ProviderError, StatusError, StreamCut
from minime_core.events import (
    MessageDone,
    ModelEvent,
    Notice,
    Retracted,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
)
from minime_core.middleware import ModelCall
from minime_core.models import ModelRequest, Provider, with_note
from minime_guards.beginning import BEGINNING
from minime_guards.network import Sleep, backoff, is_transient
from minime_guards.seam import Seam, join
from minime_guards.settings import GuardSettings

GO_ON = (
    "The connection broke. Continue your answer exactly where you stopped: do not repeat anything "
    "and do not comment on this."
)
CALL_AGAIN = (
    "The connection broke while you wrote a tool call, and it did not run. Write that call again. "
    "Do not repeat the text before it."
)


class Resume:
    """The layer, for one session.

    sleep: waits for a number of seconds.
    """

    def __init__(
        self, provider: Provider, settings: GuardSettings, sleep: Sleep = asyncio.sleep
    ) -> None:
        self._provider = provider
        self._settings = settings
        self._sleep = sleep

    async def wrap(
        self, request: ModelRequest, call_next: ModelCall
    ) -> AsyncGenerator[ModelEvent, None]:
        """Ask, and go on where the answer broke off."""
        stash = request.turn.stash
        answer = _Answer("")
        attempt, resumed = request, 0
        try:
            while True:
                try:
                    async with aclosing(call_next(attempt)) as events:
                        async for event in events:
                            if answer.passes(event):
                                yield event
                                continue
                            for shown in answer.take(event):
                                yield shown
                    return
                except (StreamCut, ConnectionFailed, StatusError) as error:
                    if not isinstance(error, StreamCut) and not (resumed and is_transient(error)):
                        raise
                    if resumed >= self._settings.resumes:
                        raise
                    cut: ProviderError = error
                is_up = await self._is_up()
                for event in answer.withdrawn():
                    yield event
                text = "the connection broke in mid-answer: trying to go on"
                yield Notice("info", text, "resume")
                resumed = await self._wait(cut, resumed, is_up)
                attempt, answer = answer.continued(request)
                stash.set(BEGINNING, answer.beginning)
        finally:
            stash.set(BEGINNING, "")

    async def _wait(self, cut: ProviderError, resumed: int, is_up: bool) -> int:
        """Wait, at least once, until the server is up; return how many attempts are used then.

        Raises StreamCut when it has crashed, and `cut` when all attempts are used.
        """
        while True:
            await self._sleep(backoff(self._settings.retry_wait, resumed))
            resumed += 1
            if is_up:
                return resumed
            if resumed >= self._settings.resumes:
                raise cut
            is_up = await self._is_up()

    async def _is_up(self) -> bool:
        """Return whether the server answers. Raises StreamCut when it has crashed."""
        if await self._provider.is_up():
            return True
        try:
            await self._provider.info()
        except ConnectionFailed as error:
            if error.refused:
                # Not a failed connection, for which others would wait.
                raise StreamCut(
                    f"the server stopped in the middle of its answer: it has crashed. {error}",
                    provider=error.provider,
                    model=error.model,
                ) from error
        except ProviderError:
            pass
        return False


class _Answer:
    """One attempt at an answer, and what earlier ones have brought of it.

    beginning: their text.
    """

    def __init__(self, beginning: str) -> None:
        self.beginning = beginning
        self._seam = Seam(beginning) if beginning else None
        self._text: list[str] = []
        self._has_thought = self._has_call = False

    def passes(self, event: ModelEvent) -> bool:
        """Return whether `event` is shown as it is, which costs least; else take it."""
        if isinstance(event, TextDelta) and self._seam is None:
            self._text.append(event.text)
            return True
        if isinstance(event, ThinkingDelta):
            self._has_thought = True
            return True
        return False

    def take(self, event: ModelEvent) -> Iterator[ModelEvent]:
        """Yield what to show for `event`."""
        if isinstance(event, TextDelta) and self._seam is not None:
            yield from self._joined(self._seam.feed(event.text))
            return
        if isinstance(event, MessageDone) and self._seam is not None:
            yield from self._joined(self._seam.end())
            text = join(self.beginning, event.message.text)
            event = replace(event, message=replace(event.message, text=text))
        elif isinstance(event, ToolCallDelta):
            self._has_call = True
        elif isinstance(event, Retracted):
            self._has_thought = False
            if not event.thinking_only:
                yield event
                yield from self._begin_again()
                return
        yield event

    def _joined(self, new: str) -> Iterator[ModelEvent]:
        """Yield what of the continuation is new; drop the beginning when it comes again."""
        assert self._seam is not None
        if self._seam.has_restarted and self.beginning:
            yield Retracted()
            self.beginning = ""
        if new:
            self._text.append(new)
            yield TextDelta(new)

    def _begin_again(self) -> Iterator[ModelEvent]:
        """Show the beginning once more, as this attempt was withdrawn with it."""
        self._text, self._has_call = [], False
        if self.beginning:
            self._seam = Seam(self.beginning)
            yield TextDelta(self.beginning)

    def withdrawn(self) -> Iterator[ModelEvent]:
        """Yield what takes back what will come again."""
        if self._has_call and not (self.beginning or self._text):
            yield Retracted()
        elif self._has_thought:
            yield Retracted(thinking_only=True)

    def continued(self, request: ModelRequest) -> tuple[ModelRequest, _Answer]:
        """Return the request for the rest of the answer, and the answer that it brings."""
        text = self.beginning + "".join(self._text)
        if not text.strip():
            return request, _Answer("")
        note = CALL_AGAIN if self._has_call else GO_ON
        return with_note(request, note, beginning=text), _Answer(text)
