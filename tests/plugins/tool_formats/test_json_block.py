from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from format_tools import calls_in, is_broken, is_left_alone, outcome, pieces_of, read

LS = ("bash", {"command": "ls"})
CALL = '{"name": "bash", "arguments": {"command": "ls"}}'


@pytest.mark.parametrize(
    "text",
    [
        CALL,
        f"\n  {CALL}\n",
        json.dumps(json.loads(CALL), indent=2),
        f"[{CALL}]",
        f"```json\n{CALL}\n```",
        f"```\n{CALL}\n```\n",
        f"```json\n{CALL}",
        f"```tool_call\n[{CALL}]\n```",
        '{"tool": "bash", "arguments": {"command": "ls"}}',
        '{"tool": "bash", "input": {"command": "ls"}}',
        '{"tool": "bash", "args": {"command": "ls"}}',
        '{"function": "bash", "parameters": {"command": "ls"}}',
        '{"tool_name": "bash", "tool_input": {"command": "ls"}}',
        '{"name": "functions.bash", "parameters": {"command": "ls"}}',
        '{"type": "function", "name": "bash", "parameters": {"command": "ls"}}',
        '{"type": "function", "function": {"name": "bash", "arguments": {"command": "ls"}}}',
        '{"function": {"name": "bash", "arguments": "{\\"command\\": \\"ls\\"}"}}',
        '{"tool_call": {"name": "bash", "arguments": {"command": "ls"}}}',
        '{"arguments": {"command": "ls"}, "name": "bash"}',
    ],
)
def test_json_that_is_the_whole_answer_is_a_call_under_the_names_that_models_use(text: str) -> None:
    assert calls_in(text) == [LS]


@pytest.mark.parametrize("separator", ["\n", "; ", ","])
def test_several_objects_are_several_calls(separator: str) -> None:
    now = '{"name": "now", "parameters": {}}'
    assert calls_in(f"{CALL}{separator}{now}") == [LS, ("now", {})]


@given(pieces_of(f"```json\n{CALL}\n```"))
def test_nothing_of_a_fenced_call_is_shown(pieces: list[str]) -> None:
    assert outcome(pieces) == ("", [LS], "")


@pytest.mark.parametrize("text", [CALL[:-4], f"```json\n{CALL[:-4]}", f"[{CALL[:-4]}"])
def test_a_cut_call_keeps_what_was_written(text: str) -> None:
    assert calls_in(text) == [("bash", '{"command": "l')]


@pytest.mark.parametrize(
    "text", ['{"name": "bash", "arguments": {}}', '[{"tool": "bash", "args": {}}]']
)
def test_wrong_arguments_of_a_known_tool_are_told(text: str) -> None:
    assert is_broken(text)


@pytest.mark.parametrize(
    "text",
    [
        f"{CALL} lists the files.",
        f"The call is\n{CALL}",
        f"```json\n{CALL}\n```\nlists the files.",
        f"Here it is:\n```json\n{CALL}\n```",
        f"```python\n{CALL}\n```",
        '{"name": "search", "arguments": {"q": "x"}}',
        '{"name": "bash", "version": "5.2", "arguments": {"command": "ls"}}',
        '{"name": "bash", "license": "GPL"}',
        '{"name": "bash"}',
        '{"name": "Ann", "args": []}',
        '{"command": "ls"}',
        '{"type": "object", "properties": {"name": {"type": "string"}}}',
        '{"answer": "bash"}',
        "[1, 2, 3]",
        "[]",
        "{}",
        "{",
        '[{"name": "Ann"}, {"name": "bash", "arguments": {"command": "ls"}}]',
        "[the docs](https://example.org)",
        "{{ template }}",
        "```json",
        "```",
    ],
)
def test_other_json_is_left_alone(text: str) -> None:
    assert is_left_alone(text)


documents = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=10,
)


@given(documents, st.sampled_from([None, 2]), st.data())
def test_a_document_that_the_user_asked_for_is_shown_in_full(
    document: object, indent: int | None, data: st.DataObject
) -> None:
    text = json.dumps(document, indent=indent)
    assert outcome(data.draw(pieces_of(text))) == (text, [], "")


def test_a_document_is_not_held_back_once_its_first_key_is_known() -> None:
    shown, found = read(['{"title": "', "A long document", '", "pages": [1'])
    assert (shown, found.text) == ('{"title": "A long document", "pages": [1', "")
