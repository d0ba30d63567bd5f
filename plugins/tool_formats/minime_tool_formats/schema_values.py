"""What a value in text means for the schema of its parameter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from minime_tool_formats.json_text import decode, dump

_PYTHON = {"True": True, "False": False, "None": None}


def property_schema(schema: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return the schema of one property of an object, an empty one when there is none."""
    properties = schema.get("properties")
    found = properties.get(name) if isinstance(properties, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def convert(text: str, schema: Mapping[str, Any]) -> object:
    """Return what `text` means: itself where a string is allowed, or nothing else fits."""
    kinds = _kinds(schema)
    bare = text.strip()
    if "string" in kinds or not (kinds or bare.startswith(("{", "["))):
        return text
    if bare in _PYTHON:
        return _PYTHON[bare]
    try:
        return decode(bare)
    except ValueError:
        return text


def as_text(value: object) -> str:
    """Return how a value is written where strings stand as they are."""
    return value if isinstance(value, str) else dump(value)


def _kinds(schema: Mapping[str, Any]) -> set[str]:
    """Return the types that a schema names, those of its alternatives included."""
    named = schema.get("type")
    kinds = {kind for kind in (named, *_list(named)) if isinstance(kind, str)}
    if any(isinstance(value, str) for value in (*_list(schema.get("enum")), schema.get("const"))):
        kinds.add("string")
    for option in (*_list(schema.get("anyOf")), *_list(schema.get("oneOf"))):
        if isinstance(option, Mapping):
            kinds |= _kinds(option)
    return kinds


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
