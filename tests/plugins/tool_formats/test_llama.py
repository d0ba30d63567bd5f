from __future__ import annotations

import pytest
from hypothesis import given

from format_tools import calls_in, is_broken, is_left_alone, outcome, pieces_of

LS = ("bash", {"command": "ls"})


@pytest.mark.parametrize(
    "text",
    [
        '<|python_tag|>{"name": "bash", "parameters": {"command": "ls"}}',
        '<|python_tag|>{"type": "function", "name": "bash", "parameters": {"command": "ls"}}',
        '<|python_tag|>bash.call(command="ls")',
        '<|python_tag|>bash.call(command="ls")<|eom_id|>',
        "<|python_tag|>bash(command='ls')",
        '<|python_tag|>bash("ls")',
        '<function=bash>{"command": "ls"}</function>',
        '<function=bash>{"command": "ls"}',
        '<function=bash{"command": "ls"}</function>',
    ],
)
def test_a_call_is_found_in_each_spelling(text: str) -> None:
    assert calls_in(text) == [LS]


def test_several_objects_are_separated_by_semicolons() -> None:
    text = (
        '<|python_tag|>{"name": "bash", "parameters": {"command": "ls"}}; '
        '{"name": "now", "parameters": {}}'
    )
    assert calls_in(text) == [LS, ("now", {})]


@given(pieces_of('I look.\n<function=bash>{"command": "ls"}</function>'))
def test_text_before_a_call_is_shown_and_the_call_is_not(pieces: list[str]) -> None:
    assert outcome(pieces) == ("I look.\n", [LS], "")


@pytest.mark.parametrize(
    ("text", "raw"),
    [
        ('<|python_tag|>{"name": "bash", "parameters": {"command": "l', '{"command": "l'),
        ('<|python_tag|>bash.call(command="l', 'command="l'),
        ('<function=bash>{"command": "l', '{"command": "l'),
    ],
)
def test_a_cut_call_keeps_what_was_written(text: str, raw: str) -> None:
    assert calls_in(text) == [("bash", raw)]


def test_an_unknown_tool_is_told() -> None:
    assert is_broken('<|python_tag|>brave_search.call(query="x")')


@pytest.mark.parametrize(
    "text",
    [
        "<|python_tag|>print(1 + 1)\nx = 3",
        'The tag `<|python_tag|>` begins code, as in `<|python_tag|>bash.call(command="ls")`.',
        '```\n<function=bash>{"command": "ls"}</function>\n```',
    ],
)
def test_what_is_no_call_is_left_alone(text: str) -> None:
    assert is_left_alone(text)
