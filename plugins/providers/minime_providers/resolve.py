"""Which model answers when none is configured: a server that runs here, else the embedded one."""

from __future__ import annotations

import http.client
import importlib.util
import json
import socket
from collections.abc import Iterable
from contextlib import suppress
from threading import Timer
from urllib.parse import urlsplit

from minime_core.config import Config
from minime_core.errors import UserError
from minime_core.models import ModelRef
from minime_providers.address import is_local
from minime_providers.listing import chat_models
from minime_providers.presets import PRESETS, Preset

CONNECT_TIMEOUT = 0.03
"""Seconds that a port of this machine has to take a connection."""
ANSWER_TIMEOUT = 2.0
"""Seconds that a server has to list its models, all in all."""
MAX_LISTING = 1 << 20
"""Most bytes of that list."""

DEMONSTRATION = (
    "no model server runs here: this answer comes from an embedded model of 135 million "
    "parameters, a demonstration. Start a server (such as `{start}`) to use a real one."
)


def resolve(config: Config, presets: Iterable[Preset] = tuple(PRESETS.values())) -> ModelRef:
    """Return what is configured, else what runs here. Raises UserError when there is nothing.

    presets: the servers to look for.
    """
    settings = config.settings
    if settings.provider or settings.base_url:
        return ModelRef(
            provider=settings.provider or _kind_of(settings.base_url, presets),
            model=settings.model,
            base_url=settings.base_url,
            why="configured",
        )
    if ref := _running(settings.model, presets):
        return ref
    if not settings.model and importlib.util.find_spec("openvino_genai") is not None:
        start = PRESETS["llamacpp"].start
        return ModelRef(
            provider="embedded", why="no server runs", notice=DEMONSTRATION.format(start=start)
        )
    starts = "; ".join(preset.start for preset in presets if preset.start)
    raise UserError(f"no model server runs here; start one ({starts}) or set base_url")


def _kind_of(base_url: str, presets: Iterable[Preset]) -> str:
    """Return the preset that an address of this machine belongs to by its port."""
    with suppress(ValueError):  # of a port that is no number; the provider says so
        port = urlsplit(base_url).port
        for preset in presets:
            if is_local(base_url) and port == urlsplit(preset.base_url).port:
                return preset.name
    return "openai"


def _running(model: str, presets: Iterable[Preset]) -> ModelRef | None:
    """Return the first server that has `model`, any model if that is "", else the first of all."""
    first: ModelRef | None = None
    for preset in presets:
        if not is_local(preset.base_url) or (models := listed_models(preset)) is None:
            continue
        if not models and not model:
            continue
        ref = ModelRef(
            provider=preset.name,
            model=model or models[0],
            base_url=preset.base_url,
            why=f"{preset.summary} runs on port {urlsplit(preset.base_url).port}",
        )
        if not model or model in models:
            return ref
        first = first or ref
    return first


def listed_models(preset: Preset) -> list[str] | None:
    """Return the models that the server at a preset's address has, None when there is no server.

    The name is "" while a server still loads its model.
    """
    address = urlsplit(preset.base_url)
    connection = http.client.HTTPConnection(address.netloc, timeout=CONNECT_TIMEOUT)
    try:
        connection.connect()
    except OSError:
        return None
    connection.sock.settimeout(None)
    # A time limit of the socket would begin anew with each byte.
    timer = Timer(ANSWER_TIMEOUT, _hang_up, [connection.sock])
    timer.start()
    try:
        connection.request("GET", f"{address.path}/models")
        answer = connection.getresponse()
        body = answer.read(MAX_LISTING)
        if answer.status == 503 and b"loading" in body.lower():
            return [""]
        return chat_models(json.loads(body))
    except (OSError, http.client.HTTPException, ValueError, RecursionError):
        return None
    finally:
        timer.cancel()
        connection.close()


def _hang_up(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
