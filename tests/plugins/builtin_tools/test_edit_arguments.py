"""Edits in all the shapes in which models send them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minime_builtin_tools.edit_arguments import WrongEdits, read_edits

EDIT = {"old": "a", "new": "b"}

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["edits", "old", "new", "old_string", "search", "x"]), inner, max_size=3
        )
    ),
    max_leaves=8,
)


def test_the_shape_that_is_asked_for_is_taken_without_a_word() -> None:
    assert read_edits({"path": "p", "edits": [EDIT, EDIT]}) == ([("a", "b")] * 2, "")


@pytest.mark.parametrize(
    ("arguments", "note"),
    [
        ({"edits": json.dumps([EDIT])}, "`edits` came as text; send a list"),
        ({"edits": json.dumps(EDIT)}, "`edits` came as text; send a list"),
        ({"edits": EDIT}, "`edits` came as one object; send a list"),
        ({"edits": [json.dumps(EDIT)]}, "`edits` came"),
        ({"edits": [[EDIT]]}, "`edits` came wrapped; send a list of objects"),
        ({"edits": json.dumps(json.dumps([EDIT]))}, "`edits` came as text; send a list"),
        ({"old": "a", "new": "b"}, "`old` and `new` belong into the list `edits`"),
        ({"old_string": "a", "new_string": "b"}, "`old` and `new` belong into the list `edits`"),
        ({"edits": [{"search": "a", "replace": "b"}]}, "the texts of an edit are called `old` and"),
        ({"edits": [{"oldText": "a", "newText": "b"}]}, "the texts of an edit are called `old`"),
    ],
)
def test_other_shapes_are_taken_and_that_is_told(arguments: dict[str, Any], note: str) -> None:
    edits, told = read_edits({"path": "p", **arguments})
    assert edits == [("a", "b")]
    assert note in told


def test_text_with_line_breaks_that_json_forbids_is_read() -> None:
    assert read_edits({"edits": '[{"old": "a\nb", "new": "c"}]'})[0] == [("a\nb", "c")]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({}, "there are no `edits`"),
        ({"edits": None}, "`edits` is not a list"),
        ({"edits": "not json"}, "`edits` is text that is not JSON"),
        ({"edits": "[" * 100_000}, "`edits` is text that is not JSON"),
        ({"edits": ["a"] * 2}, "edit 1 is not an object"),
        ({"edits": [EDIT, {"old": "a"}]}, "edit 2 has no text `new`"),
        ({"edits": [{"new": "a"}]}, "edit 1 has no text `old`"),
        ({"edits": [{"old": 1, "new": "a"}]}, "edit 1 has no text `old`"),
        ({"edits": [[[[[EDIT]]]]]}, "`edits` is not a list"),
    ],
)
def test_what_is_no_edit_is_refused_with_the_right_shape(
    arguments: dict[str, Any], reason: str
) -> None:
    with pytest.raises(WrongEdits) as caught:
        read_edits(arguments)
    assert str(caught.value).startswith(reason)
    assert '{"path": ..., "edits": [{"old": ..., "new": ...}]}' in str(caught.value)


@given(st.dictionaries(st.sampled_from(["edits", "old", "new", "path"]), json_values))
def test_any_arguments_become_edits_or_a_refusal(arguments: dict[str, Any]) -> None:
    try:
        edits, _ = read_edits(arguments)
    except WrongEdits:
        return
    assert all(isinstance(text, str) for edit in edits for text in edit)


@given(st.lists(st.fixed_dictionaries({"old": st.text(), "new": st.text()})), st.booleans())
def test_edits_survive_being_sent_as_text(edits: list[dict[str, str]], is_ascii: bool) -> None:
    read, _ = read_edits({"edits": json.dumps(edits, ensure_ascii=is_ascii)})
    assert read == [(edit["old"], edit["new"]) for edit in edits]
