"""Dataclasses as JSON, by their type hints: what session records and events have in common."""

from __future__ import annotations

import base64
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from types import UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints

_JSON_TYPES: dict[Any, Any] = {
    str: str,
    bytes: str,
    int: int,
    float: (float, int),
    bool: bool,
    tuple: list,
}


@cache
def _hints(wanted: type) -> dict[str, Any]:
    return get_type_hints(wanted)


def to_plain(value: Any) -> Any:
    """Return `value` as `json.dumps` takes it.

    Fields that have their default are left out. Bytes become base64 and errors their text; a
    mapping holds JSON already.
    """
    if is_dataclass(value):
        named = ((field, getattr(value, field.name)) for field in fields(value))
        return {field.name: to_plain(v) for field, v in named if v != field.default}
    if isinstance(value, (list, tuple)):
        return [to_plain(item) for item in value]
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return str(value) if isinstance(value, Exception) else value


def from_plain(wanted: Any, value: Any) -> Any:
    """Return the `wanted` that `to_plain` made `value` of; ignore fields that it does not have.

    Raises ValueError when `value` does not fit.
    """
    origin, inner = get_origin(wanted), get_args(wanted)
    if origin is UnionType:
        return None if value is None else from_plain(inner[0], value)
    if origin is Literal:
        if value not in inner:
            raise ValueError(f"{value!r:.50} is not one of {', '.join(map(str, inner))}")
        return value
    if not isinstance(value, _JSON_TYPES.get(origin or wanted, dict)):
        raise ValueError(f"{value!r:.50} is not of the right kind")
    if isinstance(wanted, type) and is_dataclass(wanted):
        hints = _hints(wanted)
        known = {name: from_plain(hints[name], v) for name, v in value.items() if name in hints}
        missing = [f.name for f in fields(wanted) if f.default is MISSING and f.name not in known]
        if missing:
            raise ValueError(f"{missing[0]} is missing")
        return wanted(**known)
    if origin is tuple:
        return tuple(from_plain(inner[0], item) for item in value)
    return base64.b64decode(value, validate=True) if wanted is bytes else value
