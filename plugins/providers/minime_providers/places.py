"""Which server is named where: a key that stands beside one server is not sent to another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from minime_core.config import Config, Layer
from minime_providers.presets import PRESETS

Place = Mapping[str, Any]


def named_server(config: Config) -> tuple[str, str]:
    """Return the provider and the base URL that the settings name, "" for what they do not."""
    return _server(_places(config.layers))


def address_beside(config: Config, name: str) -> str:
    """Return the address that holds where the setting `name` was set; "" when none does.

    What is set above that place, such as a base URL on the command line, does not count.
    """
    places = _places(config.layers)
    last = max((number for number, place in enumerate(places) if name in place), default=-1)
    provider, base_url = _server(places[: last + 1])
    preset = PRESETS.get(provider)
    return (base_url or (preset.base_url if preset else "")).rstrip("/")


def _server(places: Iterable[Place]) -> tuple[str, str]:
    provider = base_url = ""
    for place in places:
        provider = str(place.get("provider", provider))
        preset = PRESETS.get(provider)
        if "provider" in place and preset is not None and preset.is_service:
            # Who names a service above a server of their own means the service's address.
            base_url = ""
        base_url = str(place.get("base_url", base_url))
    return provider, base_url


def _places(layers: Iterable[Layer]) -> Sequence[Place]:
    """Return the settings of each place, low to high; variables and flags are one: this run."""
    files: list[Place] = []
    run: dict[str, Any] = {}
    for layer in layers:
        if layer.origin.startswith(("MM_", "--")):
            run |= layer.values
        else:
            files.append(layer.values)
    return [*files, run]
