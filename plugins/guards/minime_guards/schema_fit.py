"""Makes a value fit a JSON schema by changes that lose nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from jsonschema import Draft202012Validator

from minime_guards.argument_names import renamed, with_names

WRAPPERS = {"arguments", "parameters", "args", "params", "input", "kwargs"}
"""Names that models put around all arguments."""
REMARKS = {
    "description", "explanation", "reason", "reasoning", "rationale", "thought", "thoughts",
    "comment", "justification", "purpose", "name", "tool", "tool_name", "function", "type",
}  # fmt: skip
"""Names under which models say what a call is or why they make it: it means the same without."""

Schema = Mapping[str, Any]


def fit(value: Mapping[str, Any], schema: Schema) -> dict[str, Any] | None:
    """Return `value` changed so that it fits `schema`, or None when that cannot be done safely."""
    try:
        fitted = _Fitter(schema).fit(dict(value), schema)
        return fitted if Draft202012Validator(schema).is_valid(fitted) else None
    except Exception:  # a schema of a plugin that is none fails in many ways
        return None


class _Fitter:
    """Fits values to parts of one schema, which may point into it with `$ref`."""

    def __init__(self, root: Schema) -> None:
        self._root = root
        self._validator = Draft202012Validator(root)

    def fit(self, value: Any, schema: Schema) -> Any:
        """Return the first change of `value` that fits `schema`, else `value`."""
        if self._is_valid(value, schema):
            return value
        for variant in self._variants(schema):
            for candidate in self._candidates(value, variant):
                if self._is_valid(candidate, schema):
                    return candidate
        return value

    def _is_valid(self, value: Any, schema: Schema) -> bool:
        return self._validator.evolve(schema=schema).is_valid(value)

    def _variants(self, schema: Schema) -> Iterator[Schema]:
        """Yield the alternatives in `schema`, each with at most one type."""
        target = schema.get("$ref")
        if isinstance(target, str) and target.startswith("#/$defs/"):
            defs = self._root.get("$defs", {})
            schema = defs.get(target.removeprefix("#/$defs/"), {})
        for key in ("anyOf", "oneOf"):
            for variant in schema.get(key, ()):
                yield from self._variants(variant)
        types = schema.get("type")
        for kind in types if isinstance(types, list) else [types]:
            yield {**schema, "type": kind}

    def _candidates(self, value: Any, schema: Schema) -> Iterator[Any]:
        if isinstance(value, str) and "enum" in schema:
            yield from (v for v in schema["enum"] if str(v).lower() == value.strip().lower())
        match schema["type"]:
            case "integer" | "number" if isinstance(value, str):
                yield from _numbers(value)
            case "boolean" if isinstance(value, str):
                yield from (b for b in (True, False) if value.strip().lower() == str(b).lower())
            case "string" if isinstance(value, int) and not isinstance(value, bool):
                yield str(value)
            case "array":
                for items in _lists(value):
                    yield [self.fit(item, schema.get("items", {})) for item in items]
            case "object":
                for members in _objects(value):
                    yield self._object(members, schema)

    def _object(self, value: dict[str, Any], schema: Schema) -> dict[str, Any]:
        properties: Mapping[str, Schema] = schema.get("properties", {})
        required = schema.get("required", ())
        value = _unwrapped(value, properties)
        value = with_names(value, renamed(value, properties, required))
        for name, item in list(value.items()):
            part = properties.get(name)
            if part is None:
                # What says nothing is left out; what says something stays, and is refused.
                if item in (None, "", [], {}) or name.lower() in REMARKS:
                    del value[name]
            elif item is None and name not in required and not self._is_valid(item, part):
                del value[name]
            else:
                value[name] = self.fit(item, part)
        return self._gathered(value, properties, required)

    def _gathered(
        self, value: dict[str, Any], properties: Mapping[str, Schema], required: Any
    ) -> dict[str, Any]:
        """Return `value` with members of a list's only item put where they belong.

        {path, old, new} for {path, edits: [{old, new}]}.
        """
        missing = [name for name in required if name not in value]
        extra = {name: item for name, item in value.items() if name not in properties}
        if len(missing) != 1 or not extra or missing[0] not in properties:
            return value
        items = self.fit([extra], properties[missing[0]])
        if not self._is_valid(items, properties[missing[0]]):
            return value
        kept = {name: item for name, item in value.items() if name in properties}
        return {**kept, missing[0]: items}


def _numbers(text: str) -> Iterator[int | float]:
    text = text.strip()
    if re.fullmatch(r"[+-]?[0-9]{1,15}", text):
        yield int(text)
    elif re.fullmatch(r"[+-]?[0-9]{1,15}\.[0-9]{1,15}", text):
        number = float(text)
        yield int(number) if number.is_integer() else number


def _lists(value: Any) -> Iterator[list[Any]]:
    if isinstance(value, list):
        yield value
        return
    if isinstance(value, str) and isinstance(parsed := _parsed(value), list):
        yield parsed
    yield [value]


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, str):
        value = _parsed(value)
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, dict):
        yield dict(value)


def _parsed(text: str) -> Any:
    if text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None


def _unwrapped(value: dict[str, Any], properties: Mapping[str, Schema]) -> dict[str, Any]:
    """Return what is inside `{"arguments": {...}}` and its like."""
    around = [name for name in value if name in WRAPPERS and name not in properties]
    others = set(value) - set(around)
    if len(around) != 1 or not others <= REMARKS or others & set(properties):
        return value
    return next(_objects(value[around[0]]), value)
