"""Where the settings of the core come from, for who asks why one is as it is."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from minime_core.config import Config
from minime_core.settings import Settings


def origins(config: Config) -> dict[str, tuple[Any, str]]:
    """Return each core setting's value and where it comes from."""
    found: dict[str, tuple[Any, str]] = {}
    for field in fields(Settings):
        value = getattr(config.settings, field.name)
        setters = [layer for layer in config.layers if field.name in layer.values]
        if setters and isinstance(value, dict):
            for layer in setters:
                for key in layer.values[field.name]:
                    found[f"{field.name}.{key}"] = (value.get(key), layer.origin)
        else:
            found[field.name] = (value, setters[-1].origin if setters else "default")
    return found
