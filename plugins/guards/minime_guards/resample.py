"""The policy `resample`: an answer that the server could not read is asked for once more.

llama.cpp has a 500 or an error event for a call that its parser does not understand. Only this one
request is made again, with a note; no tool runs twice. A request that the server will never take,
or that does not fit the window, is passed on at once.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from minime_core.errors import RequestRefused, ServerFault, StatusError
from minime_core.events import ModelEvent, Notice, Retracted
from minime_core.middleware import ModelCall
from minime_core.models import ModelRequest, with_note
from minime_guards.layering import TOKENS

NOTE = (
    "The server could not read your last answer. Write it again: plain text, or one tool call with "
    "valid JSON arguments."
)


async def wrap(request: ModelRequest, call_next: ModelCall) -> AsyncGenerator[ModelEvent, None]:
    """Ask once more when the server failed over the answer."""
    is_shown = False
    try:
        async with aclosing(call_next(request)) as events:
            async for event in events:
                is_shown = is_shown or isinstance(event, TOKENS)
                yield event
        return
    except (StatusError, ServerFault) as error:
        if not _is_about_the_answer(error):
            raise
        reason = str(error)
    if is_shown:
        yield Retracted()
    yield Notice("info", f"{reason}: asking once more", "resample")
    async with aclosing(call_next(with_note(request, NOTE))) as events:
        async for event in events:
            yield event


def _is_about_the_answer(error: StatusError | ServerFault) -> bool:
    if isinstance(error, StatusError):
        return error.status == 500 and not isinstance(error, RequestRefused)
    return True
