"""Reduce a tool's JSON schema to what servers can turn into a grammar.

llama.cpp builds a grammar from each tool's schema and refuses the whole request for one pattern that
it cannot convert. What is left out here is still checked: calls are validated with the original.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

KEPT = frozenset(
    {"type", "properties", "required", "items", "enum", "const", "description", "anyOf", "oneOf"}
)
"""Keywords that every server takes."""
MAX_DEPTH = 12


def reduce_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return an equivalent or wider schema for an object of arguments."""
    reduced = _reduce(schema, schema, 0)
    reduced.setdefault("type", "object")
    reduced.setdefault("properties", {})
    return reduced


def _reduce(schema: object, root: Mapping[str, Any], depth: int) -> dict[str, Any]:
    if not isinstance(schema, Mapping) or depth > MAX_DEPTH:
        return {}
    if isinstance(schema.get("$ref"), str):
        return _reduce(_resolve(schema["$ref"], root), root, depth + 1)
    reduced: dict[str, Any] = {key: schema[key] for key in schema if key in KEPT}
    if isinstance(reduced.get("type"), list):
        # `["string", "null"]`: optional arguments are left out rather than null.
        types = [kind for kind in reduced["type"] if kind != "null"]
        reduced["type"] = types[0] if len(types) == 1 else None
        if reduced["type"] is None:
            del reduced["type"]
    if isinstance(reduced.get("properties"), Mapping):
        reduced["properties"] = {
            str(name): _reduce(value, root, depth + 1)
            for name, value in reduced["properties"].items()
        }
    if "items" in reduced:
        reduced["items"] = _reduce(reduced["items"], root, depth + 1)
    for key in ("anyOf", "oneOf"):
        if isinstance(reduced.get(key), list):
            options = [_reduce(option, root, depth + 1) for option in reduced.pop(key)]
            options = [option for option in options if option.get("type") != "null"]
            reduced |= options[0] if len(options) == 1 else {"anyOf": options}
    return reduced


def _resolve(reference: str, root: Mapping[str, Any]) -> object:
    found: object = root
    for part in reference.removeprefix("#/").split("/"):
        found = found.get(part) if isinstance(found, Mapping) else None
    return found
