"""What a session would send, without sending it."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from minime_core.events import MessageDone, ModelEvent
from minime_core.messages import Message
from minime_core.middleware import ModelLayer, compose_model
from minime_core.models import ModelRequest
from minime_core.session import Session
from minime_core.turn import Turn

QUESTION = "-"
"""Any question will do: what is looked at stands before it."""


async def first_request(session: Session) -> ModelRequest:
    """Return the first request of a new session, as all layers leave it for the provider."""
    requests: list[ModelRequest] = []

    async def record(request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        requests.append(request)
        answer = Message(role="assistant", text="-")
        yield MessageDone(message=answer, finish_reason="stop")

    layers = session.host.collect("mm_model_middleware", ModelLayer, session=session)
    turn = Turn(question=QUESTION, first=session.history.add_question(QUESTION))
    async with aclosing(compose_model(layers, record)(session.request(turn))) as events:
        async for _ in events:
            pass
    return requests[0]
