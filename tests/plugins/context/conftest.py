"""Sessions with the plugin, and models whose counts and windows a test decides."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from minime_core import hookimpl
from minime_core.assembly import Options, open_session
from minime_core.config import Config, Layer
from minime_core.events import (
    ContextUsage,
    Event,
    Heartbeat,
    MessageDone,
    ModelEvent,
    Notice,
    TextDelta,
    TurnDone,
)
from minime_core.history import shape_fault
from minime_core.messages import Message, ToolCall, Usage
from minime_core.models import ModelInfo, ModelRef, ModelRequest, Provider, ProviderSpec
from minime_core.plugins import PluginHost, PluginInfo
from minime_core.records import Rewrite
from minime_core.session import Session
from minime_core.tools import Arguments, Tool, ToolContext, ToolResult

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

BYTES_PER_TOKEN = 4


def tokens_of(request: ModelRequest) -> int:
    """Return what a server would count: four bytes a token."""
    size = sum(
        len(m.text.encode()) + sum(len(str(call.arguments)) for call in m.calls)
        for m in request.messages
    )
    tools = sum(len(tool.description) + len(str(tool.schema)) for tool in request.tools)
    return (size + tools) // BYTES_PER_TOKEN + 8 * len(request.messages)


class Model:
    """A provider that answers as a test says: with text, calls, whole answers, events, or errors.

    answers: one for each request; functions make theirs of the request. The last one is repeated.
    window: what it tells; None for nothing.
    counts: makes the usage of an answer.
    """

    name = "model"

    def __init__(self, *answers: Any, window: int | None = 4096) -> None:
        self.answers = list(answers)
        self.requests: list[ModelRequest] = []
        self.window = window
        self.asked = 0
        self.counted: list[str] = []
        self.down: Exception | None = None
        self.counts: Callable[[ModelRequest], Usage] = lambda request: Usage(
            prompt_tokens=tokens_of(request), completion_tokens=10
        )

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        self.requests.append(request)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if callable(answer):
            answer = answer(request)
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, str):
            answer = Message(role="assistant", text=answer)
        if isinstance(answer, Message):
            answer = MessageDone(message=answer, usage=self.counts(request), finish_reason="stop")
        yield Heartbeat()
        if isinstance(answer, list):
            for event in answer:
                if isinstance(event, Exception):
                    raise event
                yield event
            return
        if answer.message.text:
            yield TextDelta(answer.message.text)
        yield answer

    async def info(self) -> ModelInfo:
        self.asked += 1
        if self.down is not None:
            raise self.down
        return ModelInfo(
            model="m",
            window=self.window,
            window_origin="its page" if self.window else "",
            window_help="`serve --window 16384` sets it",
            renders_tools=True,
        )

    async def count_tokens(self, text: str) -> int | None:
        self.counted.append(text)
        return len(text.encode()) // BYTES_PER_TOKEN

    async def is_up(self) -> bool:
        return self.down is None

    async def aclose(self) -> None:
        pass


def call(name: str, **arguments: Any) -> Message:
    """Return an answer that calls a tool."""
    return Message(role="assistant", calls=(ToolCall(name=name, arguments=arguments),))


async def _say(arguments: Arguments, context: ToolContext) -> ToolResult:
    lines = "\n".join(f"line {n} of {arguments['command']}" for n in range(arguments["lines"]))
    return ToolResult(text=f"{lines}\n[bash: exit code 1]")


BASH = Tool(
    name="bash",
    description="Run a command.",
    schema={
        "type": "object",
        "properties": {"command": {"type": "string"}, "lines": {"type": "integer"}},
        "required": ["command"],
    },
    run=_say,
    effects=frozenset({"read", "write", "execute"}),
    kind="execute",
    subject=lambda arguments: str(arguments["command"]),
)


class _Plugin:
    """What a session needs of other plugins."""

    def __init__(self, provider: Provider, tools: Iterable[Tool], system: str) -> None:
        self._provider = provider
        self._tools = list(tools)
        self._system = system

    @hookimpl
    def mm_register_providers(self) -> list[ProviderSpec]:
        return [ProviderSpec(name="model", summary="", make=lambda config, ref: self._provider)]

    @hookimpl
    def mm_resolve_model(self, config: Config) -> ModelRef:
        return ModelRef(provider="model", model="m")

    @hookimpl
    def mm_register_tools(self) -> list[Tool]:
        return self._tools

    @hookimpl
    def mm_system_prompt(self, session: Session) -> str:
        return self._system


class Chat:
    """A session in which every history has a shape that each template takes."""

    def __init__(
        self,
        provider: Provider,
        folder: Path,
        *,
        plugins: Sequence[Any] = ("context",),
        tools: Iterable[Tool] = (BASH,),
        system: str = "Be brief.",
        resume: str | None = None,
        **settings: Any,
    ) -> None:
        self._runner = asyncio.Runner()
        self._is_closed = False
        self.events: list[Event] = []
        names = [plugin for plugin in plugins if isinstance(plugin, str)]
        host = PluginHost(
            [PluginInfo(name=name, module=f"minime_{name}") for name in names],
            warn=lambda text: pytest.fail(text),
        )
        host.load()
        for plugin in plugins:
            if not isinstance(plugin, str):
                host.register(plugin, type(plugin).__name__)
        host.register(_Plugin(provider, tools, system), "plugin")
        config = Config(
            [Layer("test", {"policy": "yolo", "max_turns": 60, **settings})],
            {info.name for info in host.infos},
        )
        options = Options(cwd=folder, flags={}, resume=resume)
        self.session = self._runner.run(open_session(options, host, config))

    def ask(self, question: str = "Go on.") -> TurnDone:
        """Ask, and return how the turn ended."""

        async def consume() -> None:
            async with self.session.run(question) as events:
                async for event in events:
                    self.events.append(event)

        self.events = []
        self._runner.run(consume())
        assert shape_fault(self.session.history.view()) is None
        done = self.events[-1]
        assert isinstance(done, TurnDone)
        return done

    def command(self, name: str, arguments: str = "") -> str:
        """Run a slash command and return what it shows."""
        found = self.session.host.collect("mm_slash_commands", session=self.session)
        run = next(command.run for _, command in found if command.name == name)

        async def shown() -> str:
            return str(await run(self.session, arguments))

        text = self._runner.run(shown())
        assert shape_fault(self.session.history.view()) is None
        return text

    @property
    def notices(self) -> list[str]:
        return [event.text for event in self.events if isinstance(event, Notice)]

    @property
    def usage(self) -> ContextUsage:
        """The figures that were told last."""
        return [event for event in self.events if isinstance(event, ContextUsage)][-1]

    @property
    def view(self) -> Sequence[Message]:
        return self.session.history.view()

    @property
    def rewrites(self) -> list[str]:
        return [r.why for r in self.session.history.records if isinstance(r, Rewrite)]

    def close(self) -> None:
        if not self._is_closed:
            self._is_closed = True
            self._runner.run(self.session.aclose())
            self._runner.close()


@pytest.fixture
def open_chat(home: Path, tmp_path: Path) -> Iterator[Callable[..., Chat]]:
    """Return a function that opens sessions with a provider; they are closed with the test."""
    opened: list[Chat] = []

    def open_chat(provider: Provider, folder: Path = tmp_path, **options: Any) -> Chat:
        opened.append(Chat(provider, folder, **options))
        return opened[-1]

    yield open_chat
    for chat in opened:
        chat.close()


@pytest.fixture
def make_model() -> type[Model]:
    return Model


@pytest.fixture
def make_call() -> Callable[..., Message]:
    return call
