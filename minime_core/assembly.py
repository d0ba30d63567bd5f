"""Put a session together from settings, plugins and files."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from minime_core import paths
from minime_core.bundled import bundled
from minime_core.config import Config
from minime_core.errors import ConfigError, ProviderError, StatusError, UserError
from minime_core.formats import ToolFormat
from minime_core.history import History
from minime_core.models import ModelInfo, ModelRef, Provider, ProviderSpec
from minime_core.plugins import PluginHost
from minime_core.profiles import DEFAULT, Profile, Profiles
from minime_core.records import Record
from minime_core.session import Session
from minime_core.store import SessionFile, find_session, header, new_session_id
from minime_core.tools import Tool
from minime_core.watching import Watching

Warn = Callable[[str], None]

LOADING_POLL = 1.0
"""Seconds between questions to a server that is loading its model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the command line says, apart from settings.

    flags: settings given as flags, by name.
    config_file: one more settings file, above the user's and the project's.
    resume: None for a new session, "" for the newest one, else an id or the beginning of one.
    new_id: the id of a new session, for who has to know it before; made up when empty.
    is_stored: whether the session is written to disk.
    is_debug: whether plugins say what helps to find a fault.
    """

    cwd: Path
    flags: Mapping[str, Any]
    config_file: Path | None = None
    no_plugins: Collection[str] = ()
    resume: str | None = None
    new_id: str = ""
    is_stored: bool = True
    is_debug: bool = False


def load_profiles(host: PluginHost, cwd: Path) -> Profiles:
    """Return all profiles: shipped, of plugins, of the user, of the project."""
    sections = {info.name for info in host.infos}
    files = [bundled("profiles")]
    for plugin, path in host.collect("mm_register_profiles", Path):
        with host.reporting(plugin, f"mm_register_profiles for {path.name}"):
            found = Profiles([*files, path])
            for name in Profiles([path]).names():
                Config(found.load(name).layers, sections)
                found.patterns(name)
            files.append(path)
    return Profiles(
        [*files, paths.config_folder() / "profiles"],
        project=cwd / paths.PROJECT_FOLDER / "profiles",
        sections=sections,
    )


async def open_session(
    options: Options,
    host: PluginHost,
    config: Config,
    warn: Warn = lambda text: None,
    *,
    tools: Iterable[Tool] = (),
) -> Session:
    """Return a session that is ready for its first question.

    tools: those that this session has besides the plugins'.

    Raises UserError for what the user can mend, ProviderError when the server has to be asked for
    its model and does not answer.
    """
    async with AsyncExitStack() as undo:
        model = await connect(undo, options, host, config, warn)
        config = model.config
        window = config.settings.context_window or model.info.window
        file = _session_file(options)
        undo.callback(file.close)
        records = _resume(file, warn) if options.resume is not None else []
        history = History(records, file if options.is_stored else None)
        session = Session(
            host=host,
            config=config,
            ref=model.ref,
            info=model.info,
            provider=model.provider,
            profile=model.profile,
            history=history,
            tools=[*_tools(host, config, window, options.cwd), *tools],
            formats=host.named("mm_register_tool_formats", ToolFormat).values(),
            cwd=options.cwd,
            file=file,
            is_debug=options.is_debug,
        )
        if not history.records:
            history.append(
                header(
                    file.id,
                    cwd=str(options.cwd),
                    provider=model.ref.provider,
                    model=model.ref.model,
                    system=_system_prompt(session),
                )
            )
        # From here on the session closes what it holds.
        undo.pop_all()
    return session


@dataclass(frozen=True, slots=True)
class Connection:
    """A model that can be asked: its server, what that tells, and the settings with its profile."""

    ref: ModelRef
    provider: Provider
    info: ModelInfo
    profile: Profile
    config: Config


async def connect(
    undo: AsyncExitStack, options: Options, host: PluginHost, config: Config, warn: Warn
) -> Connection:
    """Choose a model and ask its server about it; `undo` closes the connection.

    Raises as `open_session` does.
    """
    profiles = load_profiles(host, options.cwd)
    config = profiles.with_server(config)
    ref = host.first("mm_resolve_model", ModelRef, config=config)
    if ref is None:
        raise UserError("no model: name a server with --base-url or --provider")
    spec = _provider(host, ref)
    owner = host.owner("mm_register_providers", spec.name)
    watching = Watching(host, config.settings.plugin_timeout)
    with host.answering(owner):
        provider = watching.provider(owner, spec.make(config, ref))
        undo.push_async_callback(provider.aclose)
        info = await _ask_info(provider, ref, warn)
        ref = replace(ref, model=ref.model or info.model)
    profile = _choose_profile(profiles, config, ref)
    return Connection(ref, provider, info, profile, config.above(profile.layers))


def _provider(host: PluginHost, ref: ModelRef) -> ProviderSpec:
    specs: dict[str, ProviderSpec] = host.named("mm_register_providers", ProviderSpec)
    if ref.provider not in specs:
        names = ", ".join(sorted(specs)) or "none"
        raise ConfigError(f"there is no provider {ref.provider!r}; there are: {names}")
    return specs[ref.provider]


async def _ask_info(provider: Provider, ref: ModelRef, warn: Warn) -> ModelInfo:
    """Return what the server tells; next to nothing when it is down and the model is known.

    Waits while the server loads its model. Raises ProviderError when only the server knows which
    model it has.
    """
    is_waiting = False
    while True:
        try:
            return await provider.info()
        except ProviderError as error:
            if not (isinstance(error, StatusError) and error.status == 503):
                if not ref.model:
                    raise
                return ModelInfo(model=ref.model)
            if not is_waiting:
                warn("the server is loading the model; waiting for it (Ctrl-C ends)")
            is_waiting = True
            await asyncio.sleep(LOADING_POLL)


def _choose_profile(profiles: Profiles, config: Config, ref: ModelRef) -> Profile:
    if config.settings.profile:
        return profiles.load(config.settings.profile, "chosen")
    return profiles.load(profiles.match(ref.model) or DEFAULT, profiles.why(ref.model))


def _session_file(options: Options) -> SessionFile:
    folder = paths.sessions_folder(options.cwd)
    if options.resume is None:
        return SessionFile(folder / f"{options.new_id or new_session_id()}.jsonl")
    return SessionFile(find_session(folder, options.resume or None))


def _resume(file: SessionFile, warn: Warn) -> list[Record]:
    loaded = file.resume()
    if loaded.dropped:
        warn(f"session {file.id}: the last record was cut and is dropped")
    return loaded.records


def _tools(host: PluginHost, config: Config, window: int | None, cwd: Path) -> list[Tool]:
    skill_folders = [folder for _, folder in host.collect("mm_register_skills", Path)]
    tools = host.named(
        "mm_register_tools",
        Tool,
        config=config,
        window=window,
        cwd=cwd,
        skill_folders=skill_folders,
    )
    wanted = config.settings.tools
    return [tool for name, tool in tools.items() if name in wanted or not wanted]


def _system_prompt(session: Session) -> str:
    if session.settings.system:
        return session.settings.system
    parts = [
        text.strip() for _, text in session.host.collect("mm_system_prompt", str, session=session)
    ]
    return "\n\n".join(part for part in parts if part)
