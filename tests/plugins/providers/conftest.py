"""A fault server, providers that talk to it, and what they make of its answers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from minime_core.config import Config, Layer
from minime_core.events import MessageDone, ModelEvent, TextDelta, ThinkingDelta
from minime_core.messages import Message
from minime_core.models import ModelRef, ModelRequest
from minime_core.testing.fault_server import FaultServer
from minime_core.testing.steps import Reply
from minime_core.turn import Turn
from minime_providers.openai import OpenAIProvider
from minime_providers.presets import PRESETS

MakeProvider = Callable[..., OpenAIProvider]


class Answer:
    """The events of one answer, and what they come to."""

    def __init__(self, events: Sequence[ModelEvent]) -> None:
        self.events = events
        last = events[-1]
        assert isinstance(last, MessageDone)
        assert not any(isinstance(event, MessageDone) for event in events[:-1])
        self.done = last
        self.message = last.message
        self.calls = [(call.name, call.arguments) for call in last.message.calls]
        # What was shown piece by piece is what is kept.
        assert self._joined(TextDelta) == self.message.text
        assert self._joined(ThinkingDelta) == self.message.thinking

    def _joined(self, kind: type[TextDelta] | type[ThinkingDelta]) -> str:
        return "".join(event.text for event in self.events if isinstance(event, kind))


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultServer]:
    """Return a running fault server; nothing may go wrong on its side."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with FaultServer() as server:
        yield server
    assert server.problems == []


@pytest.fixture
def make_provider(server: FaultServer) -> MakeProvider:
    """Return a function that makes a provider for the server, with settings as named."""

    def make(preset: str = "llamacpp", base_url: str = "", **settings: Any) -> OpenAIProvider:
        ref = ModelRef(provider=preset, model="local-model", base_url=base_url or server.base_url)
        return OpenAIProvider(PRESETS[preset], Config([Layer("test", settings)]), ref)

    return make


@pytest.fixture
def make_request() -> Callable[..., ModelRequest]:
    """Return a function that makes a request with fields as named."""

    def make(**fields: Any) -> ModelRequest:
        messages = (Message(role="system", text="Be brief."), Message(role="user", text="Hello"))
        values = {"model": "local-model", "messages": messages, **fields}
        return ModelRequest(turn=Turn(question="", first=0), **values)

    return make


async def collect(stream: AsyncGenerator[ModelEvent, None]) -> Answer:
    async with aclosing(stream) as events:
        return Answer([event async for event in events])


@pytest.fixture
def ask(
    server: FaultServer,
    make_provider: MakeProvider,
    make_request: Callable[..., ModelRequest],
) -> Callable[..., Answer]:
    """Return a function that asks once, over sockets, and is answered with a reply."""

    def ask(reply: Reply, provider: OpenAIProvider | None = None, **fields: Any) -> Answer:
        async def run() -> Answer:
            asked = provider or make_provider()
            try:
                return await collect(asked.stream(make_request(**fields)))
            finally:
                await asked.aclose()

        server.enqueue(reply)
        return asyncio.run(run())

    return ask


@pytest.fixture(scope="session")
def traces() -> dict[str, bytes]:
    """Return the recorded bodies of a real llama-server, by name."""
    folder = Path(__file__).parents[2] / "traces"
    return {path.stem: path.read_bytes() for path in sorted(folder.glob("*.sse"))}


@pytest.fixture(autouse=True)
def patient_probes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine may take longer to connect; a port without a server refuses at once."""
    monkeypatch.setattr("minime_providers.probing.CONNECT_TIMEOUT", 5.0)
