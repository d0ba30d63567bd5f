from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Optional

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from minime_core.tools import MAX_FAULTS, Tool, ToolContext, ToolResult, tool

CONTEXT = ToolContext(cwd=Path("/project"), max_output=1000)


def run(tool: Tool, **arguments: Any) -> ToolResult:
    async def call() -> ToolResult:
        return await tool.run(arguments, CONTEXT)

    return asyncio.run(call())


# A tool made of a function


class Edit(BaseModel):
    old: str
    new: str = ""


@tool(effects={"read", "write"}, kind="edit")
async def change(
    path: Path,
    mode: Literal["replace", "append"] = "replace",
    edits: list[Edit] = [],  # noqa: B006
    limit: Optional[int] = None,  # noqa: UP045
    ratio: float = 0.5,
    note: Annotated[str, Field(description="why")] = "",
    *,
    context: ToolContext,
) -> str:
    """Change a file.

    Read it first.
    """
    news = [edit.new for edit in edits]
    return f"{context.cwd} {type(path).__name__} {path} {mode} {news} {limit} {ratio} {note}"


def test_a_function_gives_its_name_docstring_and_effects() -> None:
    assert change.name == "change"
    assert change.description == "Change a file.\n\nRead it first."
    assert change.effects == {"read", "write"}
    assert change.kind == "edit"


def test_type_hints_are_the_schema() -> None:
    properties = change.schema["properties"]
    assert change.schema["type"] == "object"
    assert change.schema["required"] == ["path"]
    assert change.schema["additionalProperties"] is False
    assert "context" not in properties
    assert properties["path"] == {"type": "string", "format": "path"}
    assert properties["mode"] == {
        "type": "string",
        "enum": ["replace", "append"],
        "default": "replace",
    }
    assert properties["limit"] == {
        "anyOf": [{"type": "integer"}, {"type": "null"}],
        "default": None,
    }
    assert properties["ratio"] == {"type": "number", "default": 0.5}
    assert properties["note"] == {"type": "string", "default": "", "description": "why"}
    assert properties["edits"]["type"] == "array"


def test_a_function_gets_values_of_its_hints_and_the_context() -> None:
    result = run(change, path="a.txt", edits=[{"old": "x", "new": "y"}], limit=3)
    assert result == ToolResult(text="/project PosixPath a.txt replace ['y'] 3 0.5 ")


def test_what_is_not_given_has_the_default_of_the_function() -> None:
    assert run(change, path="a").text == "/project PosixPath a replace [] None 0.5 "


def test_a_plain_function_may_return_a_result() -> None:
    @tool(effects=set())
    def fails(json: str, schema: int = 1, _x: bool = False, copy: str = "") -> ToolResult:
        """Fail."""
        return ToolResult(text=f"{json}{schema}{_x}{copy}", ok=False)

    assert fails.shape == "{json, schema?, _x?, copy?}"
    assert run(fails, json="a", _x=True, copy="b") == ToolResult(text="a1Trueb", ok=False)


def test_what_is_no_text_is_written_as_text() -> None:
    @tool(effects=set())
    def count(text: str) -> int:
        return len(text)

    assert run(count, text="abc").text == "3"
    assert count.description == ""


def test_a_function_that_cannot_be_described_is_refused() -> None:
    with pytest.raises(TypeError, match="the parameter a of tool f has no type hint"):

        @tool(effects=set())
        def f(a, context): ...  # type: ignore[no-untyped-def]

    with pytest.raises(TypeError, match=r"tool g cannot take \*names: str"):

        @tool(effects=set())
        def g(*names: str) -> None: ...


# Any tool


async def _nothing(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
    return ToolResult(text="")


def make(schema: dict[str, Any], name: str = "f") -> Tool:
    return Tool(name=name, description="", schema=schema, run=_nothing, effects=frozenset())


SCHEMA = {
    "type": "object",
    "properties": {
        "path": {"type": "string"},
        "edits": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"old": {"type": "string"}, "new": {"type": "string"}},
                "required": ["old", "new"],
                "additionalProperties": False,
            },
        },
        "tags": {"type": "array", "items": {"type": "string"}},
        "dry_run": {"type": "boolean"},
    },
    "required": ["path", "edits"],
    "additionalProperties": False,
}


def test_the_shape_is_one_line() -> None:
    assert make(SCHEMA).shape == "{path, edits:[{old, new}], tags?:[...], dry_run?}"
    assert make({"type": "object"}).shape == ""
    assert make({"type": "object", "properties": {}}).shape == "{}"


@pytest.mark.parametrize(
    ("arguments", "faults"),
    [
        ({"path": "a", "edits": []}, []),
        ({"edits": []}, ["arguments: 'path' is a required property"]),
        ({"path": 5, "edits": []}, ["path: 5 is not of type 'string'"]),
        (
            {"path": "a", "edits": [{"old": "x"}]},
            ["edits[0]: 'new' is a required property"],
        ),
        (
            {"path": "a", "edits": [{"old": "x", "new": None}]},
            ["edits[0].new: None is not of type 'string'"],
        ),
        (
            {"path": "a", "edits": [], "dryRun": True},
            ["arguments: Additional properties are not allowed ('dryRun' was unexpected)"],
        ),
        (
            {},
            [
                "arguments: 'path' is a required property",
                "arguments: 'edits' is a required property",
            ],
        ),
    ],
)
def test_faults_say_where_and_what(arguments: dict[str, Any], faults: list[str]) -> None:
    assert make(SCHEMA).faults(arguments) == faults


def test_faults_are_short_and_few_whatever_the_model_wrote() -> None:
    faults = make(SCHEMA).faults({"path": ["x" * 100_000], "edits": [5] * 1000})
    assert len(faults) == MAX_FAULTS
    assert all(len(fault) < 300 for fault in faults)


anything = st.none() | st.text(max_size=3) | st.floats() | st.lists(st.integers(), max_size=2)


@given(st.dictionaries(st.sampled_from(["path", "edits", "tags", "a b", "é", ""]), anything))
def test_any_arguments_can_be_judged(arguments: dict[str, Any]) -> None:
    assert all(": " in fault for fault in make(SCHEMA).faults(arguments))


@pytest.mark.parametrize("name", ["", "a b", "a.b", "ä", "a\n", "x" * 65])
def test_a_name_that_servers_refuse_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="cannot be the name of a tool"):
        make({}, name)


@pytest.mark.parametrize(
    ("path", "resolved"),
    [
        ("a", "/project/a"),
        ("/a", "/a"),
        ("~nobody-of-that-name/a", "/project/~nobody-of-that-name/a"),
    ],
)
def test_paths_start_from_the_folder_of_the_session(path: str, resolved: str) -> None:
    assert CONTEXT.resolve(path) == Path(resolved)


def test_a_path_may_start_from_home(home: Path) -> None:
    assert CONTEXT.resolve("~/a") == home / "a"
