"""Schemas are reduced to what llama-server takes, and allow all that they allowed before."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from referencing.exceptions import Unresolvable

from minime_shared.schemas import MAX_REPEATS, reduce_schema, tool_parameters

# Keywords that llama-server takes, of those that reduced schemas may hold.
TAKEN = {
    *("type", "description", "properties", "required", "additionalProperties", "items", "enum"),
    *("const", "anyOf", "minItems", "maxItems", "minLength", "maxLength", "minimum", "maximum"),
}
TYPES = ["string", "integer", "number", "boolean", "null", "array", "object"]


def in_object(value: Any, **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"a": value}, "required": ["a"], **more}


def assert_taken(schema: object) -> None:
    """Assert that llama-server takes a schema: each rule is one that it refuses or hangs on."""
    assert isinstance(schema, dict)
    assert schema.keys() <= TAKEN
    kinds = schema.get("type", [])
    kinds = kinds if isinstance(kinds, list) else [kinds]
    assert "type" not in schema or kinds
    assert set(kinds) <= set(TYPES)
    assert isinstance(schema.get("description", ""), str)
    for low, high in (("minLength", "maxLength"), ("minItems", "maxItems")):
        for key in (low, high):
            assert type(schema.get(key, 0)) is int
            assert 0 <= schema.get(key, 0) <= MAX_REPEATS
        assert schema.get(low, 0) <= schema.get(high, MAX_REPEATS)
    for key in ("minimum", "maximum"):
        assert abs(schema.get(key, 0)) < 1 << 63
    assert isinstance(schema.get("enum", ["x"]), list)
    assert schema.get("enum", ["x"])
    for inner in schema.get("properties", {}).values():
        assert_taken(inner)
    if "items" in schema:
        assert_taken(schema["items"])
    additional = schema.get("additionalProperties", True)
    if not isinstance(additional, bool):
        assert_taken(additional)
    if "anyOf" in schema:
        # Beside these it would make llama-server forget them.
        assert not schema.keys() & {"properties", "items", "enum", "const"}
        assert schema["anyOf"]
        for inner in schema["anyOf"]:
            assert_taken(inner)


VALUE = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.sampled_from([0.5, 1.0])
    | st.text("ab", max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
    ),
    max_leaves=5,
)
COUNT = st.integers(0, 4)
PLAIN = {
    "type": st.sampled_from(TYPES)
    | st.lists(st.sampled_from(TYPES), min_size=1, max_size=3, unique=True),
    "enum": st.lists(VALUE, min_size=1, max_size=4),
    "const": VALUE,
    "minLength": COUNT,
    "maxLength": COUNT,
    "minItems": COUNT,
    "maxItems": COUNT,
    "minimum": st.integers(-3, 3) | st.just(0.5),
    "maximum": st.integers(-3, 3),
    "exclusiveMinimum": st.integers(-3, 3),
    "multipleOf": st.integers(1, 3),
    "pattern": st.sampled_from(["^a", "b$", ""]),
    "format": st.just("date"),
    "uniqueItems": st.booleans(),
    "minProperties": st.integers(0, 2),
    "required": st.lists(st.sampled_from("abc"), max_size=2, unique=True),
    "dependentRequired": st.just({"a": ["b"]}),
    "description": st.just("A thing."),
    "title": st.just("Thing"),
    "default": VALUE,
}
REFERENCE = st.sampled_from(["#/$defs/x", "#/$defs/y~1z", "#/properties/a"])


def extend(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    some = st.lists(inner, min_size=1, max_size=3)
    nested = {
        "properties": st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
        "patternProperties": st.dictionaries(st.sampled_from(["^a", "c"]), inner, max_size=1),
        "additionalProperties": inner,
        "propertyNames": st.just({"maxLength": 1}),
        "items": inner,
        "prefixItems": some,
        "contains": inner,
        "anyOf": some,
        "oneOf": some,
        "allOf": some,
        "not": inner,
        "if": inner,
        "then": inner,
        "$ref": REFERENCE,
        "unevaluatedProperties": st.booleans(),
    }
    both = {**PLAIN, **nested}
    keys = st.lists(st.sampled_from(sorted(both)), max_size=5, unique=True)
    return keys.flatmap(lambda chosen: st.fixed_dictionaries({key: both[key] for key in chosen}))


SCHEMA = st.recursive(
    st.booleans() | st.fixed_dictionaries({}, optional=PLAIN), extend, max_leaves=6
)
ROOT = st.tuples(extend(SCHEMA), SCHEMA, SCHEMA).map(
    lambda parts: {**parts[0], "$defs": {"x": parts[1], "y/z": parts[2]}}
)


def fits(validator: Draft202012Validator, instance: Any) -> bool:
    try:
        return validator.is_valid(instance)
    except (Unresolvable, RecursionError):
        # A reference that leads nowhere, or to itself.
        return False


@settings(
    max_examples=150, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow]
)
@given(schema=ROOT, instances=st.lists(VALUE, min_size=3, max_size=6))
def test_a_reduced_schema_is_never_narrower(schema: dict[str, Any], instances: list[Any]) -> None:
    reduced = reduce_schema(schema)
    assert_taken(reduced)
    original, wider = Draft202012Validator(schema), Draft202012Validator(reduced)
    for instance in instances:
        if fits(original, instance):
            assert wider.is_valid(instance), (schema, reduced, instance)


@settings(max_examples=60)
@given(schema=ROOT, instance=st.dictionaries(st.sampled_from("abc"), VALUE, max_size=3))
def test_arguments_that_fit_still_fit(schema: dict[str, Any], instance: dict[str, Any]) -> None:
    reduced = tool_parameters(schema)
    assert reduced["type"] == "object"
    assert isinstance(reduced["properties"], dict)
    if fits(Draft202012Validator(schema), instance):
        assert Draft202012Validator(reduced).is_valid(instance)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.text(max_size=3) | st.sampled_from([*TAKEN, "$ref", "allOf", "oneOf"]), inner
        )
    ),
    max_leaves=15,
)


@settings(max_examples=120)
@given(schema=st.dictionaries(st.sampled_from([*TAKEN, "$ref", "allOf", "oneOf", "$defs"]), JSON))
def test_what_is_no_schema_becomes_one(schema: dict[str, Any]) -> None:
    assert_taken(reduce_schema(schema))
    assert_taken({k: v for k, v in tool_parameters(schema).items() if v != {} or k != "properties"})


BUILT_IN = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "description": "The file."},
        "edits": {
            "type": "array",
            "minItems": 1,
            "items": in_object({"type": "string"}, additionalProperties=False),
        },
        "start": {"type": "integer", "minimum": 1},
        "mode": {"enum": ["a", "b"]},
        "note": {"type": ["string", "null"]},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        "either": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
    },
    "required": ["path"],
}


def test_what_is_taken_stays() -> None:
    assert reduce_schema(BUILT_IN) == BUILT_IN
    assert tool_parameters({**BUILT_IN, "additionalProperties": False}) == BUILT_IN


@pytest.mark.parametrize(
    ("schema", "reduced"),
    [
        (True, {}),
        (False, {}),
        (None, {}),
        ({"type": "any"}, {}),
        ({"type": ["string", "any"]}, {}),
        ({"type": []}, {}),
        ({"enum": []}, {}),
        ({"anyOf": []}, {}),
        ({"anyOf": [True, {"type": "string"}]}, {}),
        (
            {"oneOf": [{"type": "string"}, {"type": "null"}]},
            {"anyOf": [{"type": "string"}, {"type": "null"}]},
        ),
        ({"type": "string", "anyOf": [{"minLength": 1}, {"maxLength": 2}]}, {"type": "string"}),
        ({"type": "string", "minLength": 5, "maxLength": 1}, {"type": "string"}),
        ({"type": "string", "minLength": 5000}, {"type": "string"}),
        ({"type": "string", "maxLength": -1}, {"type": "string"}),
        ({"type": "string", "maxLength": 5.0}, {"type": "string"}),
        ({"type": "string", "maxLength": True}, {"type": "string"}),
        ({"type": "integer", "maximum": 2**63}, {"type": "integer"}),
        ({"type": "string", "pattern": '^"', "format": "date"}, {"type": "string"}),
        ({"type": "array", "items": [{"type": "string"}]}, {"type": "array"}),
        ({"type": "array", "items": True}, {"type": "array"}),
        ({"description": 5, "type": "string"}, {"type": "string"}),
        (
            {"allOf": [{"type": "string"}], "description": "d"},
            {"type": "string", "description": "d"},
        ),
        ({"allOf": [{"type": "string"}, {"maxLength": 2}]}, {}),
        ({"title": "T", "default": 1, "examples": [1], "type": "integer"}, {"type": "integer"}),
    ],
)
def test_what_llama_server_refuses_is_left_out(schema: Any, reduced: dict[str, Any]) -> None:
    assert reduce_schema(in_object(schema)) == in_object(reduced)


@pytest.mark.parametrize(
    ("schema", "instance"),
    [
        ({"prefixItems": [{"type": "string"}], "items": {"type": "integer"}}, ["a", 1]),
        ({"patternProperties": {"^a": True}, "additionalProperties": False}, {"ab": 1}),
        (
            {
                "properties": {"b": {"type": "string"}},
                "patternProperties": {"^a": True},
                "additionalProperties": {"type": "integer"},
            },
            {"ab": "x"},
        ),
        ({"type": ["string", "null"]}, None),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, None),
        ({"anyOf": [{"type": "string"}], "oneOf": [{"type": "string"}, {"minLength": 3}]}, "a"),
        ({"type": "integer", "minimum": 0.5}, 1),
    ],
)
def test_what_depends_on_what_is_left_out_goes_with_it(schema: Any, instance: Any) -> None:
    assert Draft202012Validator(schema).is_valid(instance)
    assert Draft202012Validator(reduce_schema(schema)).is_valid(instance)


def test_alternatives_beside_properties_are_left_out() -> None:
    one_of_them = [{"required": ["a"]}, in_object({"type": "string"})]
    for options in (one_of_them, one_of_them[1:]):
        schema = in_object({"type": "string"}, anyOf=options)
        assert reduce_schema(schema) == in_object({"type": "string"})


@pytest.mark.parametrize(
    ("reference", "definitions"),
    [
        ("#/$defs/S", {"$defs": {"S": {"type": "string"}}}),
        ("#/definitions/S", {"definitions": {"S": {"type": "string"}}}),
        ("#/$defs/a~1b", {"$defs": {"a/b": {"type": "string"}}}),
        ("#/$defs/a%20b", {"$defs": {"a b": {"type": "string"}}}),
        ("#/$defs/a~0b", {"$defs": {"a~b": {"type": "string"}}}),
    ],
)
def test_references_are_written_out(reference: str, definitions: dict[str, Any]) -> None:
    schema = in_object({"$ref": reference, "description": "d"}, **definitions)
    assert reduce_schema(schema) == in_object({"type": "string", "description": "d"})


@pytest.mark.parametrize(
    "reference", ["#", "#x", "x.json", "https://127.0.0.1:9/x", "#/$defs/no", 5]
)
def test_references_that_lead_nowhere_allow_anything(reference: object) -> None:
    assert reduce_schema(in_object({"$ref": reference})) == in_object({})


def test_a_reference_that_leads_to_itself_is_cut() -> None:
    loop = in_object({"$ref": "#/$defs/N"}, **{"$defs": {"N": {"$ref": "#/$defs/N"}}})
    assert reduce_schema(loop) == in_object({})
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/N"}}}
    tree = in_object({"$ref": "#/$defs/N"}, **{"$defs": {"N": node}})
    assert reduce_schema(tree) == in_object({"type": "object", "properties": {"next": {}}})


def test_references_that_multiply_at_each_step_stay_small() -> None:
    definitions: dict[str, Any] = {"D0": {"type": "string"}}
    for step in range(1, 60):
        below = {"$ref": f"#/$defs/D{step - 1}"}
        properties = dict.fromkeys("abcdefgh", below)
        definitions[f"D{step}"] = {"type": "object", "properties": properties}
    schema = in_object({"$ref": "#/$defs/D59"}, **{"$defs": definitions})
    assert len(json.dumps(reduce_schema(schema))) < 50_000


def test_deep_and_wide_schemas_stay_shallow_and_whole() -> None:
    deep: dict[str, Any] = {"type": "string"}
    for _ in range(5000):
        deep = in_object(deep)
    assert len(json.dumps(reduce_schema(deep))) < 5000
    wide: dict[str, Any] = {
        "type": "object",
        "properties": {f"p{i}": {"type": "string"} for i in range(2000)},
    }
    assert reduce_schema(wide)["properties"].keys() == wide["properties"].keys()


def test_the_order_of_keys_is_that_of_the_author() -> None:
    schema = {"type": "object", "properties": {"z": {"type": "string"}, "a": {"type": "string"}}}
    assert json.dumps(reduce_schema(schema)) == json.dumps(schema)


@pytest.mark.parametrize("schema", [{}, {"type": ["object", "null"]}, {"type": "string"}])
def test_arguments_are_always_an_object(schema: dict[str, Any]) -> None:
    assert tool_parameters(schema) == {"type": "object", "properties": {}}
