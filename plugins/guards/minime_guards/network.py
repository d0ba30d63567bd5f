"""The policy `network`: a server that is away for a moment is asked again.

Only while nothing of the answer was shown. A server that refuses connections and has not answered
in this session is not waited for: it was never started.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing

from minime_core.errors import ConnectionFailed, RequestRefused, StatusError
from minime_core.events import ModelEvent, Notice
from minime_core.middleware import ModelCall
from minime_core.models import ModelRequest
from minime_guards.layering import TOKENS
from minime_guards.settings import GuardSettings

Sleep = Callable[[float], Awaitable[object]]

NOT_NOW = (429, 502, 503, 504)
"""Statuses that say "not now". 500 is not one: llama.cpp has it for what will fail again."""
MAX_WAIT = 10.0
"""Longest wait in seconds that is not the server's own wish."""
MAX_RETRY_AFTER = 60.0
"""Longest wait in seconds that a server may wish for."""


class Network:
    """The layer, for one session.

    sleep: waits for a number of seconds.
    """

    def __init__(self, settings: GuardSettings, sleep: Sleep = asyncio.sleep) -> None:
        self._settings = settings
        self._sleep = sleep
        self._has_answered = False

    async def wrap(
        self, request: ModelRequest, call_next: ModelCall
    ) -> AsyncGenerator[ModelEvent, None]:
        """Ask until the server answers, with growing waits."""
        attempt, waited = 0, 0.0
        while True:
            is_shown = False
            try:
                async with aclosing(call_next(request)) as events:
                    async for event in events:
                        is_shown = is_shown or isinstance(event, TOKENS)
                        self._has_answered = True
                        yield event
                return
            except (ConnectionFailed, StatusError) as error:
                failure = error
            self._has_answered = self._has_answered or isinstance(failure, StatusError)
            wait = self._wait(failure, attempt)
            if is_shown or not self._is_worth_it(failure, attempt, waited + wait):
                raise failure
            if not (attempt and is_loading(failure)):
                yield Notice("info", self._announcement(failure, attempt, wait), "network")
            await self._sleep(wait)
            attempt, waited = attempt + 1, waited + wait

    def _is_worth_it(
        self, failure: ConnectionFailed | StatusError, attempt: int, waited: float
    ) -> bool:
        if isinstance(failure, ConnectionFailed):
            was_never_up = failure.refused and not self._has_answered
            return not was_never_up and attempt < self._settings.retries
        if is_loading(failure):
            return waited <= self._settings.first_token_timeout
        return is_transient(failure) and attempt < self._settings.retries

    def _wait(self, failure: ConnectionFailed | StatusError, attempt: int) -> float:
        if isinstance(failure, StatusError) and failure.retry_after is not None:
            return min(failure.retry_after, MAX_RETRY_AFTER)
        return backoff(self._settings.retry_wait, attempt)

    def _announcement(
        self, failure: ConnectionFailed | StatusError, attempt: int, wait: float
    ) -> str:
        if is_loading(failure):
            return "the server is loading the model, waiting"
        count = f"{attempt + 1} of {self._settings.retries}"
        return f"{failure}: asking again in {wait:.1f} s ({count})"


def is_transient(error: ConnectionFailed | StatusError) -> bool:
    """Return whether the same request may succeed a little later."""
    if isinstance(error, StatusError):
        return error.status in NOT_NOW and not isinstance(error, RequestRefused)
    return True


def is_loading(error: ConnectionFailed | StatusError) -> bool:
    """Return whether the server is still reading the model, as llama-server says it."""
    if not isinstance(error, StatusError):
        return False
    return error.status == 503 and "loading" in error.body.lower()


def backoff(first: float, attempt: int) -> float:
    """Return the seconds to wait before attempt number `attempt`, counted from 0, is repeated."""
    return min(first * 2.0 ** min(attempt, 30), MAX_WAIT)
