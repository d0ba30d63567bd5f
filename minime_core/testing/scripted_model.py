"""A model that follows a script, in process."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import TypeAlias

from minime_core.errors import MinimeError
from minime_core.events import ModelEvent
from minime_core.models import ModelInfo, ModelRequest

from .completion import count_tokens
from .playback import play
from .replies import text
from .steps import Reply

Answer: TypeAlias = "str | Reply | MinimeError | Sequence[ModelEvent] | Responder"
"""What a model answers: text, a reply of the fault server's vocabulary such as `tool_call(...)`, an
error to raise, events as a provider yields them, or a function of the request that returns one."""
Responder: TypeAlias = Callable[[ModelRequest], Answer]


class ScriptEnded(AssertionError):
    """The script has no answer for a request."""


class ScriptedModel:
    """A provider that answers each request with the next answer of its script.

    answers: one for each request.
    window: tokens of the context window that it reports, None for unknown.
    renders_tools: whether it reports that its chat template has a place for tools.

    requests: what it was asked, in order.
    """

    name = "scripted"
    MODEL = "scripted-model"

    def __init__(
        self,
        answers: Sequence[Answer] = (),
        *,
        window: int | None = 8192,
        renders_tools: bool | None = True,
    ) -> None:
        self.requests: list[ModelRequest] = []
        self._answers = deque(answers)
        self._info = ModelInfo(model=self.MODEL, window=window, renders_tools=renders_tools)

    @property
    def pending(self) -> int:
        """How many answers are left."""
        return len(self._answers)

    def enqueue(self, *answers: Answer) -> None:
        """Add answers to the script."""
        self._answers.extend(answers)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Answer as the script says. Raises ScriptEnded when it says nothing more."""
        self.requests.append(request)
        last = request.messages[-1]
        if not self._answers:
            raise ScriptEnded(
                f"no answer is left for request {len(self.requests)}, which ends with "
                f"{last.role}: {last.text[-200:]!r}"
            )
        answer = self._answers.popleft()
        while callable(answer):
            answer = answer(request)
        if isinstance(answer, MinimeError):
            raise answer
        if isinstance(answer, str):
            answer = text(answer)
        if isinstance(answer, Reply):
            prompt = "".join(message.text for message in request.messages)
            async for event in play(answer, prompt):
                yield event
        else:
            for event in answer:
                yield event

    async def info(self) -> ModelInfo:
        """Tell window and template."""
        return self._info

    async def count_tokens(self, text: str) -> int | None:
        """Count a token for every four bytes, as the fault server does."""
        return count_tokens(text.encode())

    async def is_up(self) -> bool:
        """Say yes."""
        return True

    async def aclose(self) -> None:
        """Hold nothing."""
