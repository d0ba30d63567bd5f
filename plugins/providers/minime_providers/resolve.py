"""Which model answers when none is configured: one that runs here, else the embedded one."""

from __future__ import annotations

import importlib.util
import socket
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from minime_core.config import Config
from minime_core.errors import UserError
from minime_core.models import ModelRef
from minime_providers.address import is_local, is_loopback
from minime_providers.choice import remembered
from minime_providers.listing import file_name
from minime_providers.places import named_server
from minime_providers.presets import PRESETS, Preset
from minime_providers.probing import CONNECT_TIMEOUT, running_servers

ALL = tuple(PRESETS.values())
DMR_OF_THE_HOST = "http://host.docker.internal:12434/engines/v1"
"""Docker Model Runner as containers see it: docs.docker.com, Model Runner, API reference."""
CONTAINER_MARKS = ("/.dockerenv", "/run/.containerenv")
"""Files that Docker and Podman put into their containers."""

DEMONSTRATION = (
    "no model server runs here: this answer comes from an embedded model of 135 million "
    "parameters, a demonstration. Start a server (such as `{start}`) to use a real one."
)
SEVERAL = (
    "{count} models can be had and none was chosen: {model} answers. `mm models` lists them, "
    "--model chooses"
)


def resolve(config: Config, presets: Iterable[Preset] = ALL) -> ModelRef:
    """Return what is configured, else what runs here. Raises UserError when there is nothing.

    presets: the servers to look for.
    """
    settings = config.settings
    if settings.provider or settings.base_url:
        ref = _configured(config, presets)
        preset = PRESETS.get(ref.provider)
        if preset is not None and preset.is_service and not ref.model:
            raise UserError(f"{preset.summary} has many models: name one with --model")
        return ref
    found = [ref for server in running_servers(presets) for ref in server.refs()]
    model = settings.model
    if _is_model_file(model):
        # A server here that has loaded it is quicker than to load it again.
        if file_name(model) not in {ref.model for ref in found}:
            return _embedded(model)
        model = file_name(model)
    if found:
        return _chosen(found, model)
    if not settings.model and _has_embedded():
        start = PRESETS["llamacpp"].start
        return ModelRef(
            provider="embedded", why="no server runs", notice=DEMONSTRATION.format(start=start)
        )
    starts = "; ".join(preset.start for preset in presets if preset.start)
    raise UserError(f"no model server runs here; start one ({starts}) or set base_url")


def _is_model_file(model: str) -> bool:
    """Return whether `model` is a file or folder of a model, or is meant to be one."""
    return model.lower().endswith(".gguf") or (Path(model) / "openvino_model.xml").is_file()


def _embedded(model: str) -> ModelRef:
    if not Path(model).expanduser().exists():
        raise UserError(f"there is no file {model}, and no server here has a model of that name")
    if not _has_embedded():
        raise UserError(
            f"to use {model}, start a server (llama-server --jinja -m {model}), or have it in "
            "this process: pip install 'mini-me[embedded]'"
        )
    return ModelRef(provider="embedded", model=model, why="a file, in this process")


def list_models(config: Config, presets: Iterable[Preset] = ALL) -> Iterator[ModelRef]:
    """Yield what is configured, then each model of each server that runs here."""
    settings = config.settings
    servers = list(presets)
    seen: set[tuple[str, str]] = set()
    if settings.provider or settings.base_url:
        configured = _configured(config, servers)
        preset = PRESETS.get(configured.provider)
        address = (configured.base_url or (preset.base_url if preset else "")).rstrip("/")
        if settings.model or preset is None or not is_loopback(address):
            yield configured
            seen.add((address, configured.model))
        else:
            servers.insert(0, replace(preset, base_url=address))
    for server in running_servers(servers):
        for ref in server.refs():
            if (ref.base_url, ref.model) not in seen:
                yield ref
            seen.add((ref.base_url, ref.model))
    if _has_embedded():
        yield ModelRef(provider="embedded", why="in this process")


def _chosen(found: list[ModelRef], model: str) -> ModelRef:
    """Return the one to use of `found`: the named one, the one chosen before, the only one."""
    named = [ref for ref in found if ref.model == model]
    if model and not named:
        # llama-server takes any name.
        return replace(found[0], model=model)
    candidates = named or found
    if ref := remembered(candidates):
        return replace(ref, why=f"chosen before; {ref.why}") if len(candidates) > 1 else ref
    first = candidates[0]
    if len(candidates) == 1:
        return first
    notice = SEVERAL.format(count=len(candidates), model=first.model)
    return replace(first, others=tuple(candidates[1:]), notice=notice)


def _configured(config: Config, presets: Iterable[Preset]) -> ModelRef:
    provider, base_url = named_server(config)
    if provider == "dmr" and not base_url and _in_container():
        base_url = "" if _listens(PRESETS["dmr"].base_url) else DMR_OF_THE_HOST
    return ModelRef(
        provider=provider or _kind_of(base_url, presets),
        model=config.settings.model,
        base_url=base_url,
        why="configured",
    )


def _kind_of(base_url: str, presets: Iterable[Preset]) -> str:
    """Return the preset that an address of this machine belongs to by its port."""
    with suppress(ValueError):  # of a port that is no number; the provider says so
        port = urlsplit(base_url).port
        for preset in presets:
            if is_local(base_url) and port == urlsplit(preset.base_url).port:
                return preset.name
    return "openai"


def _has_embedded() -> bool:
    return importlib.util.find_spec("openvino_genai") is not None


def _in_container() -> bool:
    return any(Path(mark).exists() for mark in CONTAINER_MARKS)


def _listens(base_url: str) -> bool:
    url = urlsplit(base_url)
    try:
        socket.create_connection((url.hostname, url.port), CONNECT_TIMEOUT).close()
    except OSError:
        return False
    return True
