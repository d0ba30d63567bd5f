from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minime_core.messages import MAX_DEPTH, Message, ToolCall, clean_json, clean_text

any_text = st.text(st.characters(codec=None, exclude_categories=()))


@given(any_text)
def test_clean_text_is_utf8_without_nul(text: str) -> None:
    cleaned = clean_text(text)
    assert "\0" not in cleaned
    assert cleaned.encode().decode() == cleaned


@given(any_text)
def test_clean_text_is_the_same_when_cleaned_again(text: str) -> None:
    assert clean_text(clean_text(text)) == clean_text(text)


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0")))
def test_clean_text_leaves_ordinary_text_alone(text: str) -> None:
    assert clean_text(text) == text


@pytest.mark.parametrize(
    ("dirty", "clean"),
    [
        ("a\0b", "a�b"),
        ("a\ud83d", "a�"),
        ("\udc80b", "�b"),
        ("\ud83d\ude00", "😀"),
        ("\ud83d😀", "�😀"),
        ("\ufeffa\ud800", "\ufeffa�"),
    ],
)
def test_clean_text_replaces_only_what_cannot_be_sent(dirty: str, clean: str) -> None:
    assert clean_text(dirty) == clean


def test_a_message_is_clean_from_the_start() -> None:
    message = Message(role="user", text="a\0", thinking="\ud800")
    assert (message.text, message.thinking) == ("a�", "�")


json_like = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | any_text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(any_text, inner, max_size=3),
    max_leaves=10,
)


@given(st.dictionaries(any_text, json_like, max_size=4))
def test_arguments_of_a_call_are_strict_json(arguments: dict[str, Any]) -> None:
    call = ToolCall(name="f", arguments=arguments)
    written = json.dumps(call.arguments, ensure_ascii=False, allow_nan=False).encode()
    assert json.loads(written) == call.arguments


def test_arguments_that_are_strict_json_stay_as_they_are() -> None:
    arguments = {"a": [1, 2.5, True, None, {"b": "ü"}], "c": {}}
    assert ToolCall(name="f", arguments=arguments).arguments == arguments


def test_numbers_that_json_lacks_become_null() -> None:
    assert clean_json({"a": math.nan, "b": [math.inf, -math.inf]}) == {"a": None, "b": [None, None]}


def test_arguments_nested_without_end_are_cut_off() -> None:
    nested: Any = "core"
    for _ in range(900):
        nested = [nested]
    arguments: Any = ToolCall(name="f", arguments={"a": nested}).arguments["a"]
    depth = 1
    while arguments is not None:
        (arguments,) = arguments
        depth += 1
    assert depth == MAX_DEPTH
