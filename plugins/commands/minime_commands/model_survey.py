"""The models that can be had now, and what each server tells of its own."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

from minime_core.config import Config
from minime_core.errors import ConfigError, MinimeError, UserError
from minime_core.models import ModelInfo, ModelRef, ProviderSpec
from minime_core.plugins import PluginHost
from minime_core.profiles import DEFAULT, Profiles
from minime_shared.origins import origins

ANSWER_TIMEOUT = 5.0
"""Seconds that a server has to tell of one model."""
AT_ONCE = 8
"""Most models that are asked about at the same time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One model of one server.

    server: what kind it is, in words.
    window: tokens, None when unknown; `window_origin` is the page or the place of the setting.
    tools: "template" when the chat template renders them, "text" when mm writes them into the
        prompt, "unknown" when the server does not tell.
    used: whether `mm` would use it.
    why: how it was found.
    error: why the server told nothing.
    """

    provider: str
    server: str
    base_url: str
    model: str
    window: int | None
    window_origin: str
    tools: str
    profile: str
    profile_why: str
    used: bool
    why: str
    error: str = ""


@dataclass(frozen=True, slots=True)
class Survey:
    """All models, and why `mm` would use the one that it would, or `error`: why it could use none.

    notice: what the user should know about the choice.
    """

    models: list[Row]
    why: str = ""
    notice: str = ""
    error: str = ""


async def survey(host: PluginHost, config: Config, profiles: Profiles) -> Survey:
    """Look for models and ask about each. Raises ConfigError for settings that cannot be used."""
    config = profiles.with_server(config)
    found = [ref for _, ref in host.collect("mm_list_models", ModelRef, config=config)]
    used, error = None, ""
    try:
        used = host.first("mm_resolve_model", ModelRef, config=config)
    except UserError as failure:
        error = str(failure)
    if used is not None:
        found = [used, *(ref for ref in found if not _is_same(ref, used))]
    specs: dict[str, ProviderSpec] = host.named("mm_register_providers", ProviderSpec)
    gate = asyncio.Semaphore(AT_ONCE)

    async def row(ref: ModelRef) -> Row:
        async with gate:
            info, why_not = await _info(host, specs, config, ref)
        return _row(ref, info, why_not, specs, config, profiles, is_used=ref is used)

    rows = list(await asyncio.gather(*map(row, found)))
    if used is None:
        return Survey(rows, error=error or "no plugin chooses a model: is `providers` disabled?")
    # Of a server that was named without a model it is known only now which one it has.
    others = [row for row in rows[1:] if not _is_same(row, rows[0])]
    others.sort(key=lambda row: row.base_url != rows[0].base_url)  # One server stays together.
    return Survey([rows[0], *others], used.why, used.notice)


def _is_same(a: ModelRef | Row, b: ModelRef | Row) -> bool:
    """Return whether both are the same model of the same server.

    A server without an address is that of its kind.
    """
    is_one_server = a.base_url == b.base_url or not (a.base_url and b.base_url)
    return is_one_server and (a.provider, a.model) == (b.provider, b.model)


async def _info(
    host: PluginHost, specs: dict[str, ProviderSpec], config: Config, ref: ModelRef
) -> tuple[ModelInfo, str]:
    """Return what the server tells, and why it tells nothing."""
    known = ModelInfo(model=ref.model)
    if ref.provider not in specs:
        return known, f"there is no provider {ref.provider!r}"
    try:
        async with asyncio.timeout(ANSWER_TIMEOUT):
            with host.answering(host.owner("mm_register_providers", ref.provider)):
                async with AsyncExitStack() as undo:
                    provider = specs[ref.provider].make(config, ref)
                    undo.push_async_callback(provider.aclose)
                    return await provider.info(), ""
    except TimeoutError:
        return known, f"it tells nothing within {ANSWER_TIMEOUT:.0f} s"
    except MinimeError as error:
        return known, str(error)


def _row(
    ref: ModelRef,
    info: ModelInfo,
    why_not: str,
    specs: dict[str, ProviderSpec],
    config: Config,
    profiles: Profiles,
    *,
    is_used: bool,
) -> Row:
    model = ref.model or info.model
    chosen = config.settings.profile
    name, profile_why = chosen or DEFAULT, "chosen" if chosen else ""
    merged = config
    try:
        name = chosen or profiles.match(model) or DEFAULT
        profile_why = profile_why or profiles.why(model)
        merged = config.above(profiles.load(name).layers)
    except ConfigError as error:
        why_not = why_not or str(error)
    window, window_origin = window_of(merged, info)
    spec = specs.get(ref.provider)
    return Row(
        provider=ref.provider,
        server=spec.summary if spec else "",
        base_url=ref.base_url,
        model=model,
        window=window,
        window_origin=window_origin,
        tools=tools_of(merged, info),
        profile=name,
        profile_why=profile_why,
        used=is_used,
        why=ref.why,
        error=why_not,
    )


def window_of(config: Config, info: ModelInfo) -> tuple[int | None, str]:
    """Return the tokens of the window and where that is from: what is set, else what is told."""
    if config.settings.context_window:
        return config.settings.context_window, f"context_window in {_place(config)}"
    return info.window, info.window_origin if info.window else ""


def tools_of(config: Config, info: ModelInfo) -> str:
    """Return how tools reach the model; see `Row.tools`."""
    if config.settings.tool_mode == "text":
        return "text"
    if config.settings.tool_mode == "auto" and info.renders_tools is False:
        return "text"
    return "template" if info.renders_tools else "unknown"


def _place(config: Config) -> str:
    origin = origins(config)["context_window"][1]
    return Path(origin).name if origin.startswith("/") else origin
