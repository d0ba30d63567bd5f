"""Which model answers when nothing is configured: a server that runs here, else the embedded one."""

from __future__ import annotations

import http.client
import importlib.util
import json
import select
import socket
from urllib.parse import urlsplit

from minime_core.config import Config
from minime_core.errors import UserError
from minime_core.models import ModelRef

from minime_providers.presets import PRESETS, Preset

CONNECT_TIMEOUT = 0.03
"""Seconds that a port of this machine has to take a connection."""
ANSWER_TIMEOUT = 2.0
"""Seconds that a server found has to list its models."""

DEMONSTRATION = (
    "no model server runs here: this answer comes from an embedded model of 135 million parameters, "
    "a demonstration. Start a server (such as `{start}`) to use a real one."
)


def resolve(config: Config) -> ModelRef:
    """Return what is configured, else what runs here. Raises UserError when there is nothing."""
    settings = config.settings
    if settings.provider or settings.base_url:
        return ModelRef(
            provider=settings.provider or "openai",
            model=settings.model,
            base_url=settings.base_url,
            why="configured",
        )
    for preset in listening():
        if (model := first_model(preset)) is not None:
            return ModelRef(
                provider=preset.name,
                model=settings.model or model,
                base_url=preset.base_url,
                why=f"{preset.summary} runs on port {urlsplit(preset.base_url).port}",
            )
    if not settings.model and importlib.util.find_spec("openvino_genai") is not None:
        start = PRESETS["llamacpp"].start
        return ModelRef(
            provider="embedded", why="no server runs", notice=DEMONSTRATION.format(start=start)
        )
    starts = "; ".join(preset.start for preset in PRESETS.values() if preset.start)
    raise UserError(f"no model server runs here; start one ({starts}) or set base_url")


def listening() -> list[Preset]:
    """Return the presets of this machine whose port takes a connection, asked all at once."""
    waiting: dict[socket.socket, Preset] = {}
    for preset in PRESETS.values():
        address = urlsplit(preset.base_url)
        if address.hostname != "127.0.0.1" or address.port is None:
            continue
        probe = socket.socket()
        probe.setblocking(False)
        probe.connect_ex((address.hostname, address.port))
        waiting[probe] = preset
    found = []
    _, ready, _ = select.select([], list(waiting), [], CONNECT_TIMEOUT)
    for probe, preset in waiting.items():
        if probe in ready and probe.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == 0:
            found.append(preset)
        probe.close()
    return found


def first_model(preset: Preset) -> str | None:
    """Return the first model that a server lists, None when what listens there is no such server."""
    address = urlsplit(preset.base_url)
    connection = http.client.HTTPConnection(address.netloc, timeout=ANSWER_TIMEOUT)
    try:
        connection.request("GET", f"{address.path}/models")
        listed = json.loads(connection.getresponse().read(1 << 20))
        model = listed["data"][0]["id"]
    except (OSError, http.client.HTTPException, ValueError, LookupError, TypeError):
        return None
    finally:
        connection.close()
    return model if isinstance(model, str) else None
