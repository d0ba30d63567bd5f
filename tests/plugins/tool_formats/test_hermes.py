from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from format_tools import calls_in, is_broken, is_left_alone, outcome, pieces_of

BASH = '{"name": "bash", "arguments": {"command": "ls"}}'
LS = ("bash", {"command": "ls"})
WHOLE = f"Let me look.\n<tool_call>\n{BASH}\n</tool_call>"


@pytest.mark.parametrize(
    "text",
    [
        f"<tool_call>\n{BASH}\n</tool_call>",
        f"<tool_call>{BASH}</tool_call>",
        f"\n\n<tool_call>\n{BASH}\n</tool_call>\n",
        f"<tool_call>\n{BASH}",
        f"<tool_call>\n{BASH}\n</tool_",
        f"{BASH}\n</tool_call>",
        '{\n  "name": "bash",\n  "arguments": {"command": "ls"}\n}\n</tool_call>',
        f"I list the files. {BASH}\n</tool_call>",
        f"<tool_call>\n[{BASH}]\n</tool_call>",
        '<tool_call>{"name": "functions.bash", "arguments": {"command": "ls"}}</tool_call>',
        '<tool_call>{"arguments": {"command": "ls"}, "name": "bash"}</tool_call>',
        '<tool_call>{"name": "bash", "arguments": "{\\"command\\": \\"ls\\"}"}</tool_call>',
        '<tool_call>{"name": "bash", "parameters": {"command": "ls"}}</tool_call>',
        '<tool_call>{"name": "bash", "arguments": {"command": "ls"}</tool_call>',
        '<tool_call>{"name": "bash", "arguments": {"command": "ls"},}</tool_call>',
    ],
)
def test_a_call_is_found_whatever_is_missing_around_it(text: str) -> None:
    assert calls_in(text) == [LS]


def test_calls_in_tags_of_their_own_and_in_one_tag_are_found_in_order() -> None:
    now = '{"name": "now", "arguments": {}}'
    expected = [LS, ("now", {})]
    assert calls_in(f"<tool_call>{BASH}</tool_call>\n<tool_call>{now}</tool_call>") == expected
    assert calls_in(f"<tool_call>\n{BASH}\n{now}\n</tool_call>") == expected


def test_a_string_may_hold_line_ends_and_the_closing_tag() -> None:
    text = '<tool_call>{"name": "bash", "arguments": {"command": "a\n</tool_call>"}}</tool_call>'
    assert calls_in(text) == [("bash", {"command": "a\n</tool_call>"})]


@given(pieces_of(WHOLE))
def test_text_before_a_call_is_shown_and_the_call_is_not(pieces: list[str]) -> None:
    assert outcome(pieces) == ("Let me look.\n", [LS], "")


@given(st.integers(len('<tool_call>{"name": "bash", "arguments": '), len(BASH) + 9))
def test_a_cut_call_keeps_what_was_written_of_its_arguments(length: int) -> None:
    written = f"<tool_call>{BASH}"[:length]
    [(name, raw)] = calls_in(written)
    assert name == "bash"
    assert raw == {"command": "ls"} or written.rstrip().endswith(raw)


def test_arguments_that_are_no_json_are_left_as_they_are() -> None:
    text = '<tool_call>{"name": "bash", "arguments": {\'command\': \'ls\'}}</tool_call>'
    assert calls_in(text) == [("bash", "{'command': 'ls'}")]


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>{"name": "search", "arguments": {"q": "x"}}</tool_call>',
        '<tool_call>{"name": "bash", "arguments": {"cmd": "ls"}}</tool_call>',
        "<tool_call>\nls -la\n</tool_call>",
        '<tool_call>{"na',
        "I look at the files.\n<tool_call>\n",
        f'<tool_call>{{"name": "nope", "arguments": {{}}}}</tool_call>\n<tool_call>{BASH[:20]}',
    ],
)
def test_a_call_that_cannot_be_made_is_told(text: str) -> None:
    assert calls_in(text) == []
    assert is_broken(text)


@pytest.mark.parametrize(
    "text",
    [
        "The tags are <tool_call> and </tool_call>.",
        "Each call begins with <tool_call>",
        f"Hermes writes `<tool_call>{BASH}</tool_call>` in one line.",
        f"Write '<tool_call>{BASH}</tool_call>' or \"<tool_call>{BASH}</tool_call>\".",
        f"```xml\n<tool_call>\n{BASH}\n</tool_call>\n```",
        f"- an item:\n\n    ~~~~\n    <tool_call>{BASH}</tool_call>\n    ~~~~\n\nand text.",
        f"````md\n```\n<tool_call>{BASH}</tool_call>\n```\n````",
        f"```\n<tool_call>{BASH}</tool_call>",
        f"A model that writes <tool_call>{BASH}</tool_call> wants to list files.",
        '<tool_call>{"name": "weather", "arguments": {}}</tool_call>\nis how it asks for weather.',
        'Here is a person: {"name": "Ann", "age": 3}, and that is all.',
        'Tools are {"name": "bash", "arguments": {"command": "ls"}} for example.',
        'Cut: {"name": "bash", "arguments": {"comm',
        "<tool_calls>\n<tool_call_id>5</tool_call_id>\n</tool_calls>",
    ],
)
def test_what_speaks_of_calls_is_left_alone(text: str) -> None:
    assert is_left_alone(text)
