"""The sections of the settings that plugins declare."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from dataclasses import Field, fields, is_dataclass
from typing import Any, get_type_hints

from minime_core.config import Config
from minime_core.plugins import PluginHost
from minime_core.settings import Seconds


def section_classes(host: PluginHost) -> Mapping[str, Any]:
    """Return the class of each plugin's settings, by the plugin's name."""
    found: dict[str, Any] = {}
    for plugin, dotted in host.collect("mm_config_model", str):
        module, _, name = dotted.partition(":")
        declared = getattr(importlib.import_module(module), name)
        if is_dataclass(declared):
            found[plugin] = declared
    return found


def section_origins(config: Config, name: str, declared: Any) -> Iterator[tuple[str, Any, str]]:
    """Yield each setting of a section with its value and where it comes from."""
    values = config.section(name, declared)
    for field in fields(declared):
        setters = [layer for layer in config.layers if field.name in layer.values.get(name, {})]
        origin = setters[-1].origin if setters else "default"
        yield f"{name}.{field.name}", getattr(values, field.name), origin


def default_of(declared: Any, field: Field[Any]) -> Any:
    """Return the default of a setting as a settings file would have it."""
    value = getattr(declared(), field.name)
    if get_type_hints(declared)[field.name] is Seconds:
        return f"{value:g}s"
    return value
