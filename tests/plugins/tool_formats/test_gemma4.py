from __future__ import annotations

import pytest
from hypothesis import given

from format_tools import calls_in, is_broken, is_left_alone, outcome, pieces_of

LS = ("bash", {"command": "ls"})
CALL = '<|tool_call>call:bash{command:<|"|>ls<|"|>}<tool_call|>'


@pytest.mark.parametrize(
    "text",
    [
        CALL,
        CALL.removesuffix("<tool_call|>"),
        CALL.removesuffix("call|>"),
        '<|tool_call>call:bash{command: "ls"}<tool_call|>',
        '<|tool_call>call:bash{"command":<|"|>ls<|"|>}<tool_call|>',
        "<start_function_call>call:bash{command:<escape>ls<escape>}<end_function_call>",
        '<|tool_call>call:bash{\n  command: <|"|>ls<|"|>\n}<tool_call|>',
    ],
)
def test_a_call_is_found_in_each_spelling(text: str) -> None:
    assert calls_in(text) == [LS]


@given(pieces_of(f"I look.\n{CALL}{CALL}"))
def test_text_before_calls_is_shown_and_the_calls_are_not(pieces: list[str]) -> None:
    assert outcome(pieces) == ("I look.\n", [LS, LS], "")


def test_values_of_all_kinds_are_read() -> None:
    text = (
        '<|tool_call>call:sample{text:<|"|>a, {b}: "c"\n<|"|>,count:-3,ratio:0.5,flag:true,'
        'items:[1,[],<|"|>x<|"|>,null],options:{a:{b:<|"|><|"|>}}}<tool_call|>'
    )
    arguments = {
        "text": 'a, {b}: "c"\n',
        "count": -3,
        "ratio": 0.5,
        "flag": True,
        "items": [1, [], "x", None],
        "options": {"a": {"b": ""}},
    }
    assert calls_in(text) == [("sample", arguments)]


def test_a_word_without_quotes_is_text() -> None:
    assert calls_in("<|tool_call>call:bash{command:ls -l}<tool_call|>") == [
        ("bash", {"command": "ls -l"})
    ]


@pytest.mark.parametrize(
    ("text", "raw"),
    [
        ('<|tool_call>call:bash{command:<|"|>rm "a', '{"command": "rm \\"a'),
        ('<|tool_call>call:bash{command:"rm', '{"command": "rm'),
        ("<|tool_call>call:bash{comm", "{"),
        ("<|tool_call>call:sample{count:1", '{"count": '),
        ('<|tool_call>call:sample{count:1,items:[<|"|>a<|"|>,', '{"count": 1, "items": ["a", '),
    ],
)
def test_a_cut_call_keeps_what_was_written_as_json_that_is_cut(text: str, raw: str) -> None:
    [(_, arguments)] = calls_in(text)
    assert arguments == raw


@pytest.mark.parametrize(
    "text", [CALL.replace("bash", "search"), CALL.replace("command", "cmd"), "<|tool_call>"]
)
def test_a_call_that_cannot_be_made_is_told(text: str) -> None:
    assert is_broken(text)


def test_nesting_without_end_is_no_call() -> None:
    assert is_left_alone("<|tool_call>call:sample{options:" + "{a:" * 5000 + "}" * 5000)


@pytest.mark.parametrize(
    "text",
    [
        f"`{CALL}` is how Gemma 4 writes it.",
        f"```\n{CALL}\n```",
        "<|tool_call> is a token.",
        "<|tool_call>call me tomorrow",
    ],
)
def test_what_speaks_of_calls_is_left_alone(text: str) -> None:
    assert is_left_alone(text)
