"""Reduce a JSON schema to what servers can turn into a grammar.

llama.cpp refuses the whole request for one keyword that it cannot convert, and some pairs of
keywords hang it. The reduced schema allows all that the original allows; what is left out here is
still checked, since calls are validated with the original.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import unquote

MAX_DEPTH = 16
"""Deepest nesting."""
MAX_NODES = 500
"""Most schemas in one: references are written out, which can double them at each step."""
MAX_REPEATS = 256
"""Largest length: llama.cpp refuses 2001, and each repetition makes its grammar slower."""
MAX_INTEGER = 1 << 53
"""Largest bound of a number; llama.cpp refuses 2**63."""

_TYPES = frozenset({"string", "integer", "number", "boolean", "null", "array", "object"})


def tool_parameters(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the reduced schema of a tool's arguments, which are an object."""
    reduced = reduce_schema(schema)
    if reduced.get("additionalProperties") is False:
        # Servers take it for granted, and each prompt would pay for it.
        del reduced["additionalProperties"]
    return {"type": "object", "properties": {}} | reduced | {"type": "object"}


def reduce_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return an equivalent or wider schema of keywords that every server takes."""
    return _Reducer(schema).reduce(schema, 0, ())


def _is_type(value: object) -> bool:
    kinds = value if isinstance(value, list) else [value]
    return bool(kinds) and all(isinstance(kind, str) and kind in _TYPES for kind in kinds)


def _is_length(value: object) -> bool:
    return _is_bound(value) and 0 <= value <= MAX_REPEATS  # type: ignore[operator]


def _is_bound(value: object) -> bool:
    is_integer = isinstance(value, int) and not isinstance(value, bool)
    return is_integer and -MAX_INTEGER <= value <= MAX_INTEGER  # type: ignore[operator]


def _is_names(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)


_PLAIN: Mapping[str, Callable[[object], bool]] = {
    "type": _is_type,
    "description": lambda value: isinstance(value, str),
    "enum": lambda value: isinstance(value, list) and bool(value),
    "const": lambda value: True,
    "required": _is_names,
    "minLength": _is_length,
    "maxLength": _is_length,
    "minItems": _is_length,
    "maxItems": _is_length,
    "minimum": _is_bound,
    "maximum": _is_bound,
}
"""Keywords that are kept as they are, if their value is of the right kind."""

# A string that must be both longer and shorter makes llama.cpp take all memory.
_PAIRS = (("minLength", "maxLength"), ("minItems", "maxItems"), ("minimum", "maximum"))


class _Reducer:
    """Reduces the schemas inside `root` while there is room for more."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root
        self._room = MAX_NODES

    def reduce(self, schema: object, depth: int, references: tuple[str, ...]) -> dict[str, Any]:
        """Return `schema` reduced; {} allows anything.

        references: those that led here; one that leads to itself is not followed again.
        """
        self._room -= 1
        if not isinstance(schema, Mapping) or depth > MAX_DEPTH or self._room < 0:
            return {}

        def inner(value: object) -> dict[str, Any]:
            return self.reduce(value, depth + 1, references)

        reference = schema.get("$ref")
        if isinstance(reference, str):
            if reference in references:
                return _described(schema, {})
            target = self._resolve(reference)
            return _described(schema, self.reduce(target, depth + 1, (*references, reference)))
        every = schema.get("allOf")
        if isinstance(every, list) and len(every) == 1 and not schema.keys() & _SHAPE:
            # So generators of schemas put a description beside a reference.
            return _described(schema, inner(every[0]))
        reduced = {key: schema[key] for key in schema if key in _PLAIN and _PLAIN[key](schema[key])}
        for low, high in _PAIRS:
            if low in reduced and high in reduced and reduced[low] > reduced[high]:
                del reduced[low], reduced[high]
        reduced |= _object(schema, inner) | _array(schema, inner)
        if not reduced.keys() & _SHAPE:
            # llama.cpp reads nothing beside alternatives, which are worth less than properties.
            reduced |= _alternatives(schema, inner)
        return reduced

    def _resolve(self, reference: str) -> object:
        """Return the schema at a pointer into the document, None for any other reference."""
        if not reference.startswith("#/"):
            return None
        found: object = self._root
        for part in unquote(reference[2:]).split("/"):
            name = part.replace("~1", "/").replace("~0", "~")
            found = found.get(name) if isinstance(found, Mapping) else None
        return found


_SHAPE = frozenset({"properties", "items", "enum", "const"})
_TELLING = _SHAPE | {"type", "anyOf"}
Inner = Callable[[object], dict[str, Any]]


def _object(schema: Mapping[str, Any], inner: Inner) -> dict[str, Any]:
    found: dict[str, Any] = {}
    properties = schema.get("properties")
    if isinstance(properties, Mapping):
        found["properties"] = {str(name): inner(value) for name, value in properties.items()}
    additional = schema.get("additionalProperties")
    if isinstance(additional, (bool, Mapping)) and "patternProperties" not in schema:
        found["additionalProperties"] = (
            additional if isinstance(additional, bool) else inner(additional)
        )
    return found


def _array(schema: Mapping[str, Any], inner: Inner) -> dict[str, Any]:
    items = schema.get("items")
    if not isinstance(items, Mapping) or "prefixItems" in schema:
        return {}
    return {"items": inner(items)}


def _alternatives(schema: Mapping[str, Any], inner: Inner) -> dict[str, Any]:
    """Return `anyOf` for `anyOf` or `oneOf`, nothing when an option does not tell its kind."""
    for keyword in ("anyOf", "oneOf"):
        options = schema.get(keyword)
        if isinstance(options, list) and options:
            reduced = [inner(option) for option in options]
            if all(option.keys() & _TELLING for option in reduced):
                return {"anyOf": reduced}
    return {}


def _described(schema: Mapping[str, Any], reduced: dict[str, Any]) -> dict[str, Any]:
    """Return `reduced` with the description that `schema` adds to what it refers to."""
    described = schema.get("description")
    return reduced | {"description": described} if isinstance(described, str) else reduced
