"""Whether a model can be had: its server, its window, its tools, its profile."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack

from minime_commands.model_survey import tools_of, window_of
from minime_core.assembly import Connection, Options, connect
from minime_core.cli.finding import Finding
from minime_core.config import Config
from minime_core.errors import MinimeError, ProviderError
from minime_core.models import ProviderSpec
from minime_core.plugins import PluginHost
from minime_core.profiles import DEFAULT

PATIENCE = 10.0
"""Seconds that the server has to tell of its model."""
SMALL_WINDOW = 8192
"""Tokens below which the prompt and one file leave little room for work."""
TRY = "`mm models test` asks it a question and a call"


async def model_findings(options: Options, host: PluginHost, config: Config) -> list[Finding]:
    """Choose a model as a session would, ask its server about it, and tell what is wrong."""
    said: list[str] = []
    try:
        async with asyncio.timeout(PATIENCE), AsyncExitStack() as undo:
            connection = await connect(undo, options, host, config, said.append)
            # `connect` forgives a server that is down when the model is named.
            await connection.provider.info()
            is_up = await connection.provider.is_up()
    except TimeoutError:
        text = said[-1] if said else f"it tells nothing of its model within {PATIENCE:.0f} s"
        return [Finding("server", "fault", text, "wait, then try again; or restart it")]
    except ProviderError as error:
        return [Finding("server", "fault", str(error))]
    except MinimeError as error:
        return [Finding("model", "fault", str(error))]
    if not is_up:
        address = connection.ref.base_url or connection.ref.provider
        return [Finding("server", "fault", f"{address} does not answer", "start it")]
    return [*_of_server(host, connection), *_of_model(connection)]


def _of_server(host: PluginHost, connection: Connection) -> Iterator[Finding]:
    ref = connection.ref
    spec = host.named("mm_register_providers", ProviderSpec)[ref.provider]
    address = f" at {ref.base_url}" if ref.base_url else ""
    yield Finding("server", "ok", f"{spec.summary}{address}; {TRY}")
    if ref.notice:
        yield Finding("model", "warn", ref.notice, "`mm models` lists what can be had")
    else:
        yield Finding("model", "ok", f"{ref.model}: {ref.why}")


def _of_model(connection: Connection) -> Iterator[Finding]:
    config, info = connection.config, connection.info
    window, origin = window_of(config, info)
    if not window:
        cure = "set context_window to the tokens that the server was started with"
        yield Finding("window", "warn", "the server does not tell it", cure)
    elif window < SMALL_WINDOW:
        yield Finding("window", "warn", f"{window:,} tokens ({origin}) are few", info.window_help)
    else:
        yield Finding("window", "ok", f"{window:,} tokens ({origin})")
    tools = tools_of(config, info)
    if tools == "text":
        yield Finding("tools", "ok", "as text in the prompt")
    elif info.renders_tools is False:
        text = "the chat template renders no tools: the server drops them silently"
        yield Finding("tools", "fault", text, "leave tool_mode at auto, or set it to text")
    elif info.renders_tools:
        yield Finding("tools", "ok", "rendered by the chat template")
    else:
        yield Finding("tools", "ok", f"the server does not tell whether it renders them; {TRY}")
    profile = connection.profile
    if profile.name == DEFAULT:
        cure = "choose one with --profile, or write one (`mm profiles list` shows them)"
        yield Finding("profile", "warn", f"none matches {connection.ref.model!r}", cure)
    else:
        yield Finding("profile", "ok", f"{profile.name}: {profile.why}")
