"""Settings from many places: layers with origins, checked against the dataclasses that declare them.

Low to high: defaults, model profile, user's `config.yaml`, project's `.mm/config.yaml`, `--config`,
`MM_*`, flags. A mapping such as `sampling` is merged key by key, anything else is replaced.
"""

from __future__ import annotations

import difflib
import re
import typing
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal, TypeVar

from minime_core.errors import ConfigError
from minime_core.settings import Seconds, Settings

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Layer:
    """Values from one place. `origin` is how the user would find it: a path, `MM_MODEL`, a flag."""

    origin: str
    values: Mapping[str, Any]


class Config:
    """All layers, low to high.

    sections: names of plugins, each of which may have a section of its own.
    """

    def __init__(self, layers: Iterable[Layer], sections: Iterable[str] = ()) -> None:
        self.layers = tuple(layers)
        self.sections = frozenset(sections)
        self.settings = self._resolve(Settings, "", self.layers)

    def above(self, layers: Iterable[Layer]) -> Config:
        """Return this config on top of `layers`."""
        return Config((*layers, *self.layers), self.sections)

    def section(self, name: str, declared: type[T]) -> T:
        """Return a plugin's settings; `declared` is a dataclass whose fields are `setting`s.

        Raises ConfigError.
        """
        inner = []
        for layer in self.layers:
            values = layer.values.get(name, {})
            if not isinstance(values, dict):
                raise ConfigError(f"{layer.origin}: {name} has to hold settings of that plugin")
            inner.append(Layer(layer.origin, _snake_keys(values)))
        return self._resolve(declared, name, inner)

    def origins(self) -> dict[str, tuple[Any, str]]:
        """Return each core setting's value and where it comes from."""
        found: dict[str, tuple[Any, str]] = {}
        for field in fields(Settings):
            value = getattr(self.settings, field.name)
            setters = [layer for layer in self.layers if field.name in layer.values]
            if setters and isinstance(value, dict):
                for layer in setters:
                    for key in layer.values[field.name]:
                        found[f"{field.name}.{key}"] = (value.get(key), layer.origin)
            else:
                found[field.name] = (value, setters[-1].origin if setters else "default")
        return found

    def _resolve(self, declared: type[T], section: str, layers: Iterable[Layer]) -> T:
        types = typing.get_type_hints(declared)
        merged: dict[str, Any] = {}
        for layer in layers:
            for key, value in layer.values.items():
                if not section and key in self.sections:
                    continue
                name = f"{section}.{key}" if section else key
                if key not in types:
                    known = [*types, *(() if section else self.sections)]
                    raise ConfigError(f"{layer.origin}: {_unknown(name, key, known)}")
                converted = convert(value, types[key], f"{layer.origin}: {name}")
                if isinstance(converted, dict):
                    converted = {**merged.get(key, {}), **converted}
                merged[key] = converted
        return declared(**merged)


def convert(value: Any, wanted: Any, where: str) -> Any:
    """Return `value` as `wanted`, a type of a setting; text from the environment is read as one.

    Raises ConfigError that begins with `where`.
    """
    if wanted is Seconds:
        return _seconds(value, where)
    origin, inner = typing.get_origin(wanted), typing.get_args(wanted)
    if origin is Literal:
        if value in inner:
            return value
        raise ConfigError(f"{where} is {value!r}; it can be {', '.join(map(str, inner))}")
    if origin is dict:
        if not isinstance(value, Mapping):
            raise ConfigError(f"{where} has to be a mapping of names to values")
        return {str(k): convert(v, inner[1], f"{where}.{k}") for k, v in value.items()}
    if origin is list:
        if isinstance(value, str):
            value = [part.strip() for part in value.split(",") if part.strip()]
        if not isinstance(value, list):
            raise ConfigError(f"{where} has to be a list")
        return [convert(v, inner[0], where) for v in value]
    if wanted is Any:
        return value
    return _scalar(value, wanted, where)


def _scalar(value: Any, wanted: type, where: str) -> Any:
    expected = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}
    if wanted is bool:
        words = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
        value = words.get(value.lower(), value) if isinstance(value, str) else value
    elif wanted in (int, float) and isinstance(value, str):
        try:
            value = wanted(value)
        except ValueError:
            pass
    elif wanted is float and isinstance(value, int) and not isinstance(value, bool):
        # An integer stays one: `top_k: 20` is sent as 20, not as 20.0, which some servers refuse.
        return value
    if not isinstance(value, wanted) or (wanted is not bool and isinstance(value, bool)):
        raise ConfigError(f"{where} is {value!r}; it has to be {expected.get(wanted, wanted)}")
    return value


def _seconds(value: Any, where: str) -> float:
    if isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0:
        return float(value)
    parts = re.fullmatch(r"(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s?)?", str(value).strip())
    if not parts or not any(parts.groups()):
        raise ConfigError(f"{where} is {value!r}; it has to be a duration such as 30s or 5m")
    hours, minutes, seconds = (float(part or 0) for part in parts.groups())
    return hours * 3600 + minutes * 60 + seconds


def _unknown(name: str, key: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(key, known, n=1)
    hint = f"; did you mean {near[0]}?" if near else "; `mm config show` lists the settings"
    return f"unknown setting {name}{hint}"


def read_yaml(path: Path) -> dict[str, Any]:
    """Return the mapping in a YAML file. Raises ConfigError with the line of a mistake."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        values = yaml.load(path.read_bytes(), Loader=loader)
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from error
    except (yaml.YAMLError, UnicodeDecodeError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        reason = getattr(error, "problem", None) or "not YAML text"
        raise ConfigError(f"{path}{line}: {reason}") from error
    if values is None:
        return {}
    if not isinstance(values, dict):
        raise ConfigError(f"{path} has to hold settings, one `name: value` a line")
    return _snake_keys(values)


def _snake_keys(values: Mapping[Any, Any]) -> dict[str, Any]:
    """Return `baseUrl` as `base_url`: both spellings are taken."""
    return {re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", str(k)).lower(): v for k, v in values.items()}
