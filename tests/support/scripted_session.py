"""Real sessions, with the plugin's layers, whose model follows a script."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from tempfile import gettempdir
from typing import Any

import minime_tool_formats
from format_tools import TOOLS
from minime_core import hookimpl
from minime_core.assembly import Options, open_session
from minime_core.config import Config, Layer
from minime_core.events import Event, MessageDone, ModelEvent, TextDelta, ThinkingDelta, TurnDone
from minime_core.history import History
from minime_core.messages import Message, ToolCall
from minime_core.models import ModelInfo, ModelRef, ModelRequest, ProviderSpec
from minime_core.plugins import PluginHost
from minime_core.session import Session
from minime_core.tools import Tool

Script = Sequence[ModelEvent]


def answer(
    *pieces: str, thinking: Sequence[str] = (), calls: Sequence[ToolCall] = (), reason: str = "stop"
) -> Script:
    """Return what a provider yields for an answer in pieces."""
    message = Message(
        role="assistant", text="".join(pieces), thinking="".join(thinking), calls=tuple(calls)
    )
    return [
        *map(ThinkingDelta, thinking),
        *map(TextDelta, pieces),
        MessageDone(message=message, finish_reason=reason),
    ]


class ScriptedProvider:
    """A provider that answers each request with the next script."""

    name = "scripted"

    def __init__(self, scripts: Sequence[Script], info: ModelInfo) -> None:
        self.requests: list[ModelRequest] = []
        self._scripts = list(scripts)
        self._info = info

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        self.requests.append(request)
        for event in self._scripts.pop(0):
            yield event

    async def info(self) -> ModelInfo:
        return self._info

    async def count_tokens(self, text: str) -> int | None:
        return None

    async def is_up(self) -> bool:
        return True

    async def aclose(self) -> None:
        pass


@dataclass
class Asked:
    """What came of a question."""

    events: list[Event]
    requests: list[ModelRequest]
    history: History

    @property
    def done(self) -> TurnDone:
        [done] = [event for event in self.events if isinstance(event, TurnDone)]
        return done

    @property
    def shown(self) -> str:
        return "".join(event.text for event in self.events if isinstance(event, TextDelta))

    @property
    def calls(self) -> list[tuple[str, dict[str, Any]]]:
        """The calls in the history."""
        return [
            (call.name, dict(call.arguments))
            for message in self.history.view()
            for call in message.calls
        ]


class ScriptedPlugin:
    """What a session needs of other plugins."""

    def __init__(self, provider: ScriptedProvider) -> None:
        self._provider = provider

    @hookimpl
    def mm_register_providers(self) -> list[ProviderSpec]:
        make = lambda config, ref: self._provider  # noqa: E731
        return [ProviderSpec(name="scripted", summary="", make=make)]

    @hookimpl
    def mm_resolve_model(self, config: Config) -> ModelRef:
        return ModelRef(provider="scripted", model="m")

    @hookimpl
    def mm_register_tools(self) -> list[Tool]:
        return list(TOOLS.values())

    @hookimpl
    def mm_system_prompt(self, session: Session) -> str:
        return "Be brief."


def ask(*scripts: Script, renders_tools: bool = True, **settings: Any) -> Asked:
    """Ask one question in a session of its own, with all calls permitted."""
    provider = ScriptedProvider(scripts, ModelInfo(model="m", renders_tools=renders_tools))
    host = PluginHost()
    host.register(minime_tool_formats, "tool_formats")
    host.register(ScriptedPlugin(provider), "scripted")
    config = Config([Layer("test", {"policy": "yolo", **settings})])
    options = Options(cwd=Path(gettempdir()), flags={}, is_stored=False)

    async def run() -> Asked:
        session = await open_session(options, host, config)
        async with session.run("What is here?") as events, aclosing(events):
            happened = [event async for event in events]
        await session.aclose()
        return Asked(happened, provider.requests, session.history)

    return asyncio.run(run())
