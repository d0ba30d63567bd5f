from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from format_tools import TOOLS, pieces_of, sample_arguments
from minime_core.messages import ToolCall, clean_json
from minime_tool_formats.json_format import JsonFormat

FORMAT = JsonFormat()


def read(*pieces: str) -> tuple[str, list[tuple[str, Any]]]:
    """Return text and calls of an answer; raw arguments are text."""
    reader = FORMAT.reader(TOOLS)
    shown = "".join([reader.feed(piece) for piece in pieces])
    rest, calls = reader.end()
    return shown + rest, [(c.name, dict(c.arguments) if c.raw is None else c.raw) for c in calls]


@given(st.text(), st.data())
def test_a_rendered_answer_is_read_again_in_any_pieces(text: str, data: st.DataObject) -> None:
    pieces = data.draw(pieces_of(FORMAT.render_answer(text, [])))
    assert read(*pieces) == (text, [])


@given(sample_arguments, st.data())
def test_a_rendered_call_is_read_again_in_any_pieces(
    arguments: dict[str, Any], data: st.DataObject
) -> None:
    call = ToolCall(name="sample", arguments=clean_json(arguments))
    pieces = data.draw(pieces_of(FORMAT.render_answer("", [call])))
    assert read(*pieces) == ("", [("sample", call.arguments)])


def test_json_may_be_indented() -> None:
    assert read('{\n  "answer": "Hi"\n}') == ("Hi", [])


@pytest.mark.parametrize(
    ("written", "raw"),
    [
        ('{"tool": "bash", "arguments": {"command": "l', '{"command": "l'),
        ('{"tool": "bash", "arguments": ', ""),
        ('{"tool": "bash", "arguments": [1]}', None),
        ('{"tool": "bash", "arguments": {"command": "ls"}', {"command": "ls"}),
    ],
)
def test_a_cut_call_keeps_what_was_written(written: str, raw: object) -> None:
    expected = (written, []) if raw is None else ("", [("bash", raw)])
    assert read(written) == expected


@pytest.mark.parametrize("text", ["Hello {", "", "  ", '["a"]', '{"other": 1}', "{", '{"answer'])
def test_what_is_neither_answer_nor_call_is_text(text: str) -> None:
    assert read(*text) == (text, [])


def test_an_answer_may_be_cut() -> None:
    assert read('{"answer": "It is \\u00e') == ("It is ", [])


@given(sample_arguments, st.text())
def test_the_constraint_allows_what_is_rendered_and_nothing_else(
    arguments: dict[str, Any], text: str
) -> None:
    tools = list(TOOLS.values())
    both = Draft202012Validator(FORMAT.constraint(tools) or {})
    answers = Draft202012Validator(FORMAT.constraint([]) or {})
    call = FORMAT.render_answer("", [ToolCall(name="sample", arguments=arguments)])
    answer = FORMAT.render_answer(text, [])
    assert both.is_valid(json.loads(call))
    assert both.is_valid(json.loads(answer))
    assert answers.is_valid(json.loads(answer))
    assert not answers.is_valid(json.loads(call))
    assert not both.is_valid({"tool": "search", "arguments": {}})
    assert not both.is_valid({"tool": "bash", "arguments": {}})
