"""A provider without a model."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from minime_core import (
    Message,
    MessageDone,
    ModelEvent,
    ModelInfo,
    ModelRequest,
    TextDelta,
)


class Echo:
    """Answers with the question."""

    name = "echo"

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """See `minime_core.Provider`."""
        said = next(m.text for m in reversed(request.messages) if m.role == "user")
        yield TextDelta(said)
        message = Message(role="assistant", text=said)
        yield MessageDone(message=message, finish_reason="stop")

    async def info(self) -> ModelInfo:
        return ModelInfo(model="echo", window=8192, window_origin="the plugin hello")

    async def count_tokens(self, text: str) -> int | None:
        return len(text.split())

    async def is_up(self) -> bool:
        return True

    async def aclose(self) -> None:
        pass
