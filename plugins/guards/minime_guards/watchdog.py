"""The policy `watchdog`: a server that says nothing for too long has stalled.

Two limits: one until the first token, in which the server reads the prompt, and one between tokens.
Anything that comes starts the time anew, signs of life too. There is no limit for a whole answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import replace

from minime_core.errors import TurnStopped
from minime_core.events import (
    Heartbeat,
    MessageDone,
    ModelEvent,
    Notice,
    PromptProgress,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
)
from minime_core.middleware import ModelCall
from minime_core.models import ModelRequest
from minime_core.turn import Stash
from minime_guards.layering import TOKENS
from minime_guards.prefill import PREFILL, PrefillClock, PrefillSpeed
from minime_guards.settings import GuardSettings

PATIENCE = 3
"""How many times the estimate of reading a prompt may take."""
MAX_WORDS = 40
"""Characters of an answer that stalled that are told."""


class Alarm:
    """Cancels the task that waits for the next event when nothing comes for `limit` seconds.

    It is one timer that looks at the time of the last event and arms itself again: an event costs a
    look at the clock. Time in which the consumer holds an event does not count.
    """

    def __init__(self, limit: float) -> None:
        self.limit = limit
        self._loop = asyncio.get_running_loop()
        self._since = 0.0
        self._waiting: asyncio.Task[object] | None = None
        self._task: asyncio.Task[object] | None = None
        self._cancels = 0
        self._has_rung = False
        self._timer = self._loop.call_later(limit, self._look)

    def wait(self) -> None:
        """Start the time anew, in the task that runs now."""
        task = self._waiting = asyncio.current_task()
        if task is not self._task and task is not None:
            self._task, self._cancels = task, task.cancelling()
        self._since = self._loop.time()

    def pause(self) -> None:
        """Stop the time."""
        self._waiting = None

    def tighten(self, limit: float) -> None:
        """Set another limit, from now on."""
        self.limit = limit
        self._timer.cancel()
        self._timer = self._loop.call_later(limit, self._look)

    def _look(self) -> None:
        left = self._since + self.limit - self._loop.time()
        if self._waiting is None:
            left = self.limit
        elif left <= 0:
            self._has_rung = True
            self._waiting.cancel()
            return
        self._timer = self._loop.call_later(left, self._look)

    def stop(self) -> bool:
        """End the watch; return whether it cancelled the task, and nobody else did.

        The task's own cancellation is taken back.
        """
        self._timer.cancel()
        self._waiting = None
        if not self._has_rung or self._task is None:
            return False
        self._has_rung = False
        return self._task.uncancel() <= self._cancels


class Watchdog:
    """The layer, for one session.

    holder: returns the plugin of others in whose code a cancelled request waited, or "".
    """

    def __init__(
        self,
        stash: Stash,
        settings: GuardSettings,
        holder: Callable[[BaseException], str] = lambda error: "",
    ) -> None:
        self._settings = settings
        self._holder = holder
        self._speed = stash.get(PREFILL, PrefillSpeed())
        self._can_stream = True

    async def wrap(
        self, request: ModelRequest, call_next: ModelCall
    ) -> AsyncGenerator[ModelEvent, None]:
        """Watch the answer; ask once for a whole one where nothing was shown and nothing ran."""
        is_second = False
        while True:
            if is_second or not self._can_stream:
                request = replace(request, stream=False)
            first = self.first_limit(request)
            clock = PrefillClock(self._speed)
            last: ModelEvent | None = None
            words = ""
            holder = ""
            has_token = has_stalled = False
            alarm = Alarm(first)
            try:
                async with aclosing(call_next(request)) as events:
                    alarm.wait()
                    try:
                        async for event in events:
                            alarm.pause()
                            if not isinstance(event, TOKENS):
                                clock.see(event)
                            elif not has_token:
                                has_token = True
                                alarm.tighten(self._settings.watchdog_timeout * request.patience)
                            last = event
                            if isinstance(event, TextDelta):
                                words = (words + event.text)[-MAX_WORDS:]
                            yield event
                            alarm.wait()
                    finally:
                        has_stalled = alarm.stop()
                if is_second:
                    self._can_stream = False
                return
            except asyncio.CancelledError as error:
                if not has_stalled:
                    raise
                holder = self._holder(error)
            if has_token or not request.stream or request.turn.rounds > 1:
                text = _stalled(holder, alarm.limit, last, words, has_token)
                raise TurnStopped(text, reason="stalled")
            text = f"nothing came for {_seconds(alarm.limit)}: asking for the answer in one piece"
            yield Notice("info", text, "watchdog")
            is_second = True

    def first_limit(self, request: ModelRequest) -> float:
        estimate = self._speed.estimate(request)
        least = self._settings.first_token_timeout * request.patience
        return max(least, PATIENCE * estimate)


def _stalled(
    holder: str, limit: float, last: ModelEvent | None, words: str, has_token: bool
) -> str:
    setting = "watchdog_timeout" if has_token else "first_token_timeout"
    who = f"plugin {holder}" if holder else "the server"
    return (
        f"stalled: {who} sent nothing for {_seconds(limit)}; {_seen(last, words)}. "
        f"If it is only slow, raise guards.{setting}"
    )


def _seconds(limit: float) -> str:
    return f"{limit:.0f} s" if limit >= 10 else f"{limit:.2g} s"


def _seen(last: ModelEvent | None, words: str) -> str:
    match last:
        case PromptProgress(done, total):
            return f"it had read {done} of {total} tokens of the prompt"
        case TextDelta():
            return f"its last words were {words.strip()!r}"
        case ThinkingDelta():
            return "it was thinking"
        case ToolCallDelta(_, name):
            return f"it was writing a call of {name or 'a tool'}"
        case Heartbeat():
            return "it had only given signs of life"
        case MessageDone():
            return "it had finished its answer"
    return "it had not begun to answer"
