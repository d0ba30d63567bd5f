"""Settings from many places: layers with origins, checked against the dataclasses declaring them.

Low to high: defaults, model profile, user's `config.yaml`, project's `.mm/config.yaml`, `--config`,
`MM_*`, flags. A mapping such as `sampling` is merged key by key, anything else is replaced.
"""

from __future__ import annotations

import difflib
import math
import re
import reprlib
import typing
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from minime_core.errors import ConfigError
from minime_core.settings import Seconds, Settings

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T", bound="DataclassInstance")

MAX_VALUES = 10_000
"""Most values of a settings file, those behind YAML aliases counted each time."""


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
            inner.append(Layer(layer.origin, snake_keys(values)))
        return self._resolve(declared, name, inner)

    def is_set(self, name: str) -> bool:
        """Return whether some place sets a setting of the core."""
        return any(name in layer.values for layer in self.layers)

    def _resolve(self, declared: type[T], section: str, layers: Iterable[Layer]) -> T:
        types = typing.get_type_hints(declared)
        least = {field.name: field.metadata.get("least") for field in fields(declared)}
        merged: dict[str, Any] = {}
        for layer in layers:
            for key, value in layer.values.items():
                if key not in types and not section and key in self.sections:
                    continue
                name = f"{section}.{key}" if section else key
                if key not in types:
                    known = [*types, *(() if section else self.sections)]
                    raise ConfigError(f"{layer.origin}: {_unknown(name, key, known)}")
                converted = convert(value, types[key], f"{layer.origin}: {name}")
                if least[key] is not None and converted < least[key]:
                    where = f"{layer.origin}: {name}"
                    raise ConfigError(f"{where} is {converted}; the least is {least[key]}")
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
        if isinstance(value, bool) and "on" in inner:
            # YAML reads the words on and off as true and false.
            value = "on" if value else "off"
        if value in inner:
            return value
        raise ConfigError(f"{where} is {_shown(value)}; it can be {', '.join(map(str, inner))}")
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
    return value if wanted is Any else _scalar(value, wanted, where)


_EXPECTED = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}
_WORDS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


def _scalar(value: Any, wanted: type, where: str) -> Any:
    converted = value
    if isinstance(value, str) and wanted is bool:
        converted = _WORDS.get(value.lower(), value)
    elif isinstance(value, str) and wanted is not str:
        try:
            converted = wanted(value)
        except ValueError:
            pass
    # A whole number stays one: `top_k: 20` is sent as 20, not as 20.0, which some servers refuse.
    kinds = (int, float) if wanted is float else wanted
    is_right = isinstance(converted, kinds) and isinstance(converted, bool) == (wanted is bool)
    if not is_right or (isinstance(converted, float) and not math.isfinite(converted)):
        raise ConfigError(f"{where} is {_shown(value)}; it has to be {_EXPECTED[wanted]}")
    return converted


def _seconds(value: Any, where: str) -> float:
    number = r"[0-9]{1,9}"
    pattern = rf"(?:({number})h)?(?:({number})m)?(?:({number}(?:\.{number})?)s?)?"
    parts = re.fullmatch(pattern, str(value).strip())
    if isinstance(value, bool) or not parts or not any(parts.groups()):
        raise ConfigError(f"{where} is {_shown(value)}; it has to be a duration such as 30s or 5m")
    hours, minutes, seconds = (float(part or 0) for part in parts.groups())
    return hours * 3600 + minutes * 60 + seconds


def _shown(value: Any) -> str:
    # Short, whatever a file holds: aliases in YAML can make a value of any size.
    return reprlib.repr(value)[:100]


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
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        reason = getattr(error, "problem", None) or getattr(error, "reason", "not YAML")
        raise ConfigError(f"{path}{line}: {reason}") from error
    except (ValueError, LookupError, AttributeError, TypeError, RecursionError) as error:
        # What the parser itself trips over, such as `!!int ""` or ten thousand brackets.
        raise ConfigError(f"{path}: not settings in YAML") from error
    if values is None:
        return {}
    if not isinstance(values, dict):
        raise ConfigError(f"{path} has to hold settings, one `name: value` a line")
    _check_plain(values, path)
    return snake_keys(values)


def _check_plain(values: Any, path: Path) -> None:
    """Refuse what is not JSON, and what aliases blow up or close to a circle."""
    pending, seen = [values], 0
    while pending:
        value = pending.pop()
        seen += 1
        if isinstance(value, dict):
            pending += [*value, *value.values()]
        elif isinstance(value, list):
            pending += value
        elif not isinstance(value, (str, int, float, NoneType)):
            raise ConfigError(f"{path}: {value!s:.50} is neither text, number, list nor mapping")
        if seen > MAX_VALUES:
            raise ConfigError(f"{path} holds more than {MAX_VALUES} values")


def snake_keys(values: Mapping[Any, Any]) -> dict[str, Any]:
    """Return `baseUrl` as `base_url`: both spellings are taken."""
    return {re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", str(k)).lower(): v for k, v in values.items()}
