"""How large a model's window is: each kind of server tells it in its own way.

What counts is the window that is served, never the one that the model was trained with.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import quote

from minime_providers.listing import file_name

Ask = Callable[..., Awaitable[object]]
"""Asks for `path`, counted from the server's root, with `body` when something is posted.

Returns the JSON, None where there is no such page."""

# Where a list of models tells it: llama.cpp `meta.n_ctx`, vLLM and SGLang `max_model_len`, Groq
# `context_window`, OpenRouter and Together `context_length`.
_LISTED = ("n_ctx", "max_model_len", "context_window", "context_length")


@dataclass(frozen=True, slots=True)
class Window:
    """A window in tokens, and the page that tells it."""

    tokens: int
    origin: str


async def of_ollama(ask: Ask, model: str) -> Window | None:
    """Ask what is loaded, else what the model is set up with.

    A model that is neither gets the server's default, which nothing tells before it is loaded.
    Source: docs/api.md of Ollama.
    """
    loaded = await ask("/api/ps")
    for entry in entries_of(loaded, "models"):
        tokens = _tokens(entry.get("context_length"))
        if tokens and is_same(model, (entry.get("name"), entry.get("model"))):
            return Window(tokens, "/api/ps")
    shown = await ask("/api/show", {"model": model})
    parameters = shown.get("parameters") if isinstance(shown, dict) else None
    found = re.search(r"^num_ctx\s+(\d{1,9})\s*$", str(parameters), re.MULTILINE)
    tokens = _tokens(int(found[1])) if found else None
    return Window(tokens, "num_ctx of /api/show") if tokens else None


async def of_lmstudio(ask: Ask, model: str) -> Window | None:
    """Ask for the length that the model was loaded with. Source: LM Studio's REST API v0."""
    listed = await ask("/api/v0/models")
    for entry in entries_of(listed, "data"):
        tokens = _tokens(entry.get("loaded_context_length"))
        if tokens and is_same(model, (entry.get("id"),)):
            return Window(tokens, "/api/v0/models")
    return None


async def of_dmr(ask: Ask, model: str) -> Window | None:
    """Ask how the model was configured, else how it was packaged, else the list of models.

    Docker Model Runner lets a configured size win. Source: pkg/inference of docker/model-runner.
    """
    configured = await ask(f"/engines/_configure?model={quote(model, safe='')}")
    for entry in configured if isinstance(configured, list) else []:
        config = entry.get("Config") if isinstance(entry, dict) else None
        if tokens := _of_config(config):
            return Window(tokens, "/engines/_configure")
    packaged = await ask(f"/models/{quote(model)}")
    if tokens := _of_config(packaged.get("config") if isinstance(packaged, dict) else None):
        return Window(tokens, f"/models/{model}")
    return of_listed(await ask("/engines/v1/models"), model)


def _of_config(config: object) -> int | None:
    """Return the size in a configuration of Docker Model Runner, which spells it in two ways."""
    spelt = ("context-size", "context_size")
    sizes = [_tokens(config.get(name)) for name in spelt] if isinstance(config, dict) else []
    return next(filter(None, sizes), None)


async def of_llamaswap(ask: Ask, model: str) -> Window | None:
    """Ask the llama-server behind it, if it runs: the question would start it otherwise."""
    running = await ask("/running")
    if not any(is_same(model, (e.get("model"),)) for e in entries_of(running, "running")):
        return None
    props = await ask(f"/upstream/{quote(model)}/props")
    settings = props.get("default_generation_settings") if isinstance(props, dict) else None
    tokens = _tokens(settings.get("n_ctx")) if isinstance(settings, dict) else None
    return Window(tokens, "/props") if tokens else None


OWN_WAYS: Mapping[str, Callable[[Ask, str], Awaitable[Window | None]]] = {
    "dmr": of_dmr,
    "llamaswap": of_llamaswap,
    "lmstudio": of_lmstudio,
    "ollama": of_ollama,
}
"""By the preset's name; all other servers tell it in their list of models, or not at all."""


def of_listed(listed: object, model: str) -> Window | None:
    """Return what the answer to `GET /models` tells of `model`."""
    entries = entries_of(listed, "data")
    named = [e for e in entries if is_same(model, (e.get("id"), *_strings(e.get("aliases"))))]
    # llama-server takes any name for the one model that it has.
    for entry in named or (entries if len(entries) == 1 else []):
        meta = entry.get("meta")
        for place in (meta, entry) if isinstance(meta, dict) else (entry,):
            for key in _LISTED:
                if tokens := _tokens(place.get(key)):
                    return Window(tokens, "/models")
    return None


def entries_of(value: object, key: str) -> list[dict[str, object]]:
    """Return the objects in the list `key` of an answer, none when it has no such list."""
    entries = value.get(key) if isinstance(value, dict) else None
    return [e for e in entries if isinstance(e, dict)] if isinstance(entries, list) else []


def _strings(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def is_same(model: str, names: Iterable[object]) -> bool:
    """Return whether one of `names` names `model`, as servers spell it."""
    wanted = {model, model.removesuffix(":latest")}
    return any(
        isinstance(n, str) and wanted & {n, file_name(n), n.removesuffix(":latest")} for n in names
    )


def _tokens(value: object) -> int | None:
    return value if type(value) is int and 0 < value < 1 << 40 else None
