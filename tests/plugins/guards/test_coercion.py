from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minime_core.messages import ToolCall
from minime_core.testing.fault_server import FaultServer
from minime_core.testing.replies import text, tool_call
from minime_core.tools import Tool, ToolResult
from minime_guards.coercion import Coercion
from minime_guards.schema_fit import fit

TEXT = {"type": "string"}


def schema(required: list[str], **properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


BASH = schema(["command"], command=TEXT)
READ = schema(
    ["path"],
    path=TEXT,
    start={"type": "integer"},
    end={"type": "integer"},
    numbered={"type": "boolean"},
)
EDIT = schema(
    ["path", "edits"],
    path=TEXT,
    edits={"type": "array", "items": schema(["old", "new"], old=TEXT, new=TEXT)},
    dry_run={"type": "boolean"},
)
MIXED = {
    **schema(
        ["point"],
        point={"$ref": "#/$defs/Point"},
        label={"anyOf": [TEXT, {"type": "null"}]},
        names={"type": "array", "items": TEXT},
        mode={"enum": ["read", "write"]},
        ratio={"type": "number"},
        either={"type": ["integer", "null"]},
    ),
    "$defs": {"Point": schema(["x"], x={"type": "integer"})},
}
ONE = [{"old": "x", "new": "y"}]


@pytest.mark.parametrize(
    ("expected", "written", "meant"),
    [
        (READ, {"path": "a", "start": "5"}, {"path": "a", "start": 5}),
        (READ, {"path": "a", "numbered": "True"}, {"path": "a", "numbered": True}),
        (READ, {"path": "a", "end": None}, {"path": "a"}),
        (READ, {"path": 5}, {"path": "5"}),
        (READ, {"filePath": "a", "from_line": 2}, {"path": "a", "start": 2}),
        (BASH, {"cmd": "ls"}, {"command": "ls"}),
        (BASH, {"comand": "ls"}, {"command": "ls"}),
        (BASH, {"Command": "ls"}, {"command": "ls"}),
        (BASH, {"command": "ls", "description": "list"}, {"command": "ls"}),
        (BASH, {"command": "ls", "timeout": None, "env": {}}, {"command": "ls"}),
        (BASH, {"arguments": {"cmd": "ls"}}, {"command": "ls"}),
        (BASH, {"name": "bash", "parameters": '{"command": "ls"}'}, {"command": "ls"}),
        (EDIT, {"path": "a", "edits": ONE[0]}, {"path": "a", "edits": ONE}),
        (EDIT, {"path": "a", "edits": '[{"old":"x","new":"y"}]'}, {"path": "a", "edits": ONE}),
        (EDIT, {"path": "a", "old_string": "x", "new_string": "y"}, {"path": "a", "edits": ONE}),
        (
            EDIT,
            {"file": "a", "changes": [{"search": "x", "replace": "y"}], "dryRun": "false"},
            {"path": "a", "edits": ONE, "dry_run": False},
        ),
        (MIXED, {"point": '{"x": "3"}'}, {"point": {"x": 3}}),
        (MIXED, {"point": {"x": 3}, "names": "a"}, {"point": {"x": 3}, "names": ["a"]}),
        (
            MIXED,
            {"point": {"x": 3}, "names": '["a", "b"]', "mode": "READ", "ratio": "0.5"},
            {"point": {"x": 3}, "names": ["a", "b"], "mode": "read", "ratio": 0.5},
        ),
        (MIXED, {"point": [{"x": 3}], "either": "4"}, {"point": {"x": 3}, "either": 4}),
    ],
)
def test_what_loses_nothing_is_made_to_fit(expected: Any, written: Any, meant: Any) -> None:
    assert fit(written, expected) == meant


@pytest.mark.parametrize(
    ("expected", "written"),
    [
        (BASH, {}),
        (BASH, {"command": "ls", "timeout": 5}),
        (BASH, {"command": ["ls", "-l"]}),
        (BASH, {"command": True}),
        (BASH, {"command": {"x": 1}}),
        (BASH, {"code": "ls"}),
        (BASH, {"cmd": "ls", "script": "pwd"}),
        (READ, {"file": "a", "filename": "b"}),
        (READ, {"path": "a", "start": "five"}),
        (READ, {"path": "a", "start": "1.5"}),
        (READ, {"path": "a", "start": "9" * 5000}),
        (READ, {"path": "a", "numbered": "yes"}),
        (EDIT, {"path": "a", "old": "x"}),
        (EDIT, {"path": "a", "edits": '[{"old":"x"'}),
        (MIXED, {"point": {"x": True}}),
        (MIXED, {"point": {"x": 3}, "mode": "append"}),
    ],
)
def test_what_would_have_to_be_guessed_is_left_to_be_refused(expected: Any, written: Any) -> None:
    assert fit(written, expected) is None


def fitting(expected: dict[str, Any], arguments: dict[str, Any], model: Any) -> Any:
    async def run(arguments: Any, context: Any) -> ToolResult:
        return ToolResult(text="")

    tool = Tool(name="t", description="", schema=expected, run=run, effects=frozenset())
    call = ToolCall(name="t", arguments=arguments)
    done = model.done("", call)
    return Coercion({"t": tool}).judge(model.request(), done), done


def values(expected: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Return values that fit a schema."""
    if "$ref" in expected:
        return values(MIXED["$defs"]["Point"])
    if "enum" in expected:
        return st.sampled_from(expected["enum"])
    if "anyOf" in expected:
        return st.one_of([values(variant) for variant in expected["anyOf"]])
    kind = expected["type"]
    if isinstance(kind, list):
        return st.one_of([values({"type": one}) for one in kind])
    if kind == "object":
        required = {name: values(expected["properties"][name]) for name in expected["required"]}
        optional = {
            name: values(part)
            for name, part in expected["properties"].items()
            if name not in required
        }
        return st.fixed_dictionaries(required, optional=optional)
    if kind == "array":
        return st.lists(values(expected["items"]), max_size=3)
    return {
        "string": st.text() | st.sampled_from(["5", "true", "null", '["a"]', '{"x": 1}']),
        "integer": st.integers(-(10**6), 10**6),
        "number": st.floats(allow_nan=False, allow_infinity=False),
        "boolean": st.booleans(),
        "null": st.none(),
    }[kind]


@given(
    st.sampled_from([BASH, READ, EDIT, MIXED]).flatmap(lambda s: st.tuples(st.just(s), values(s)))
)
def test_arguments_that_fit_are_never_changed(pair: tuple[dict[str, Any], dict[str, Any]]) -> None:
    expected, arguments = pair
    assert fit(arguments, expected) == arguments


NAMES = st.sampled_from(["path", "file", "edits", "old", "new", "command", "cmd", "point", "x",
                         "names", "arguments", "mode", "either"])  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)


@given(st.sampled_from([BASH, READ, EDIT, MIXED]), st.dictionaries(NAMES, JSON, max_size=4))
def test_what_comes_out_fits(expected: dict[str, Any], written: dict[str, Any]) -> None:
    from jsonschema import Draft202012Validator

    fitted = fit(written, expected)
    assert fitted is None or Draft202012Validator(expected).is_valid(fitted)


def test_an_answer_whose_calls_fit_is_passed_on_as_it_is(model: Any) -> None:
    judged, done = fitting(READ, {"path": "a", "start": 1}, model)
    assert judged is done


def test_arguments_that_stay_wrong_are_those_of_the_model(model: Any) -> None:
    judged, done = fitting(READ, {"path": "a", "start": "5", "timeout": 3}, model)
    assert judged is done


# Against the fault server


def test_what_stays_wrong_is_told_with_field_fault_and_shape(
    chat: Any, server: FaultServer
) -> None:
    server.enqueue(
        tool_call("edit_file", {"path": "a", "edits": [{"old": "x"}]}),
        tool_call("bash", {"command": "ls", "timeout": 5}),
        text("Done."),
    )
    chat.ask()
    assert chat.tools.ran == []
    missing, extra = chat.results
    assert "edits[0]: 'new' is a required property" in missing
    assert "Expected {path, edits:[{old, new}]}" in missing
    assert "'timeout' was unexpected" in extra


def test_a_renamed_argument_through_the_command_line(mm: Any, server: FaultServer) -> None:
    server.enqueue(tool_call("bash", {"cmd": "echo here"}), text("Done."))
    assert mm.ask()[:2] == (0, "Done.\n")
    assert "here" in mm.messages()[-1]["content"]
