"""Real sessions whose model follows a script, in one line."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager, contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from minime_core.assembly import Options, open_session
from minime_core.config import Config, Layer
from minime_core.errors import UserError
from minime_core.hookspecs import hookimpl
from minime_core.models import ModelRef, ProviderSpec
from minime_core.plugins import PluginHost, PluginInfo, discover
from minime_core.session import Session
from minime_core.tools import Tool

from .scripted_model import Answer, ScriptedModel
from .transcript import Transcript


class ScriptedSession:
    """A session, its model, and what plugins were blamed for.

    session: the core's; `session.history` is what the model sees.
    model: `model.requests` is what it was asked.
    warnings: what `mm` would have printed to stderr; empty unless the session is lenient.
    """

    def __init__(self, session: Session, model: ScriptedModel, warnings: Sequence[str]) -> None:
        self.session = session
        self.model = model
        self.warnings = warnings

    async def ask(self, question: str = "Hello") -> Transcript:
        """Ask a question and return what happened until the end of its turn."""
        async with self.session.run(question) as events, aclosing(events):
            return Transcript([event async for event in events])


@asynccontextmanager
async def scripted_session(
    answers: Sequence[Answer] | ScriptedModel = (),
    *,
    plugins: Iterable[object] = (),
    tools: Iterable[Tool] = (),
    settings: Mapping[str, Any] | None = None,
    cwd: Path | None = None,
    is_lenient: bool = False,
) -> AsyncIterator[ScriptedSession]:
    """Open a session that lasts for the `async with`.

    answers: what the model answers, one for each request; or a model.
    plugins: names of installed plugins, modules, or objects with hooks, in the order in which they
        are called. No plugin is loaded besides them.
    tools: more tools for the model.
    settings: as in a settings file, sections of plugins included. Unless they say otherwise all
        calls run without a question.
    cwd: the session's folder; an empty one that is removed afterwards by default.
    is_lenient: whether a plugin that fails is left out with a warning, as `mm` does. Unless set,
        its failure is an AssertionError.
    """
    model = answers if isinstance(answers, ScriptedModel) else ScriptedModel(answers)
    warnings: list[str] = []

    def warn(text: str) -> None:
        if not is_lenient:
            raise AssertionError(text)
        warnings.append(text)

    async with AsyncExitStack() as stack:
        if cwd is None:
            cwd = stack.enter_context(_empty_folder())
        host = _host(plugins, model, warn)
        config = Config(
            [Layer("scripted_session", {"policy": "yolo", **(settings or {})})],
            {info.name for info in host.infos},
        )
        options = Options(cwd=cwd, flags={}, is_stored=False)
        session = await open_session(options, host, config, warn, tools=tools)
        stack.push_async_callback(session.aclose)
        yield ScriptedSession(session, model, warnings)


@contextmanager
def _empty_folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="mm-session-") as folder:
        yield Path(folder).resolve()


def ask_scripted(
    answers: Sequence[Answer] | ScriptedModel, question: str = "Hello", **options: Any
) -> Transcript:
    """Ask one question in a session of its own, from code that is not async.

    options: those of `scripted_session`.
    """

    async def ask() -> Transcript:
        async with scripted_session(answers, **options) as session:
            return await session.ask(question)

    return asyncio.run(ask())


def _host(
    plugins: Iterable[object], model: ScriptedModel, warn: Callable[[str], None]
) -> PluginHost:
    installed: list[PluginInfo] = []
    given: list[object] = []
    for plugin in plugins:
        if isinstance(plugin, str):
            installed.append(_installed(plugin))
        else:
            given.append(plugin)
    host = PluginHost(installed, warn)
    host.load()
    for plugin in given:
        info = _described(plugin)
        host.register(plugin, info.name)
        host.infos.append(info)
    host.register(_Stage(model), "scripted")
    return host


def _installed(name: str) -> PluginInfo:
    found = [info for info in discover() if info.name == name]
    if not found:
        raise UserError(f"no plugin {name!r} is installed")
    return found[0]


def _described(plugin: object) -> PluginInfo:
    """Return a module as the plugin that it is when installed, an object under its class's name."""
    if isinstance(plugin, ModuleType):
        name = plugin.__name__.removeprefix("mm_plugin_").removeprefix("minime_")
        return PluginInfo(name=name, module=plugin.__name__, state="loaded")
    kind = type(plugin)
    return PluginInfo(name=kind.__name__.lower(), module=kind.__module__, state="loaded")


class _Stage:
    """The plugin that brings the model."""

    def __init__(self, model: ScriptedModel) -> None:
        self._model = model

    @hookimpl
    def mm_register_providers(self) -> list[ProviderSpec]:
        make = lambda config, ref: self._model  # noqa: E731
        return [ProviderSpec(name=ScriptedModel.name, summary="follows a script", make=make)]

    @hookimpl
    def mm_resolve_model(self) -> ModelRef:
        return ModelRef(provider=ScriptedModel.name, model=ScriptedModel.MODEL)
