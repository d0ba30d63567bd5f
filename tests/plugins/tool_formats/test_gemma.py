from __future__ import annotations

import pytest
from hypothesis import given

from format_tools import calls_in, is_broken, is_left_alone, outcome, pieces_of

LS = ("bash", {"command": "ls"})


def block(code: str) -> str:
    return f"```tool_code\n{code}\n```"


@pytest.mark.parametrize(
    "code",
    [
        'bash(command="ls")',
        "print(bash(command='ls'))",
        'default_api.bash(command="ls")',
        'print(default_api.bash(\n    command="ls",\n))',
        'bash("ls")',
    ],
)
def test_a_call_is_found_in_each_spelling(code: str) -> None:
    assert calls_in(block(code)) == [LS]


def test_each_statement_is_a_call() -> None:
    assert calls_in(block('bash(command="ls")\nnow()')) == [LS, ("now", {})]


def test_values_are_those_of_python() -> None:
    code = "sample(text='''a\n\"b\"''', count=-3, flag=True, items=[1, None], options={'a': 0.5})"
    arguments = {
        "text": 'a\n"b"',
        "count": -3,
        "flag": True,
        "items": [1, None],
        "options": {"a": 0.5},
    }
    assert calls_in(block(code)) == [("sample", arguments)]


def test_strings_may_hold_escapes_that_python_warns_of() -> None:
    assert calls_in(block(r'bash(command="grep \d")')) == [("bash", {"command": r"grep \d"})]


@given(pieces_of("Let me see.\n" + block('bash(command="ls")') + "\n"))
def test_text_before_a_call_is_shown_and_the_call_is_not(pieces: list[str]) -> None:
    assert outcome(pieces) == ("Let me see.\n", [LS], "")


def test_a_block_that_is_not_closed_is_a_call_if_its_code_is_whole() -> None:
    assert calls_in('```tool_code\nbash(command="ls")') == [LS]


def test_a_cut_call_keeps_what_was_written() -> None:
    assert calls_in('```tool_code\nbash(command="l') == [("bash", 'command="l')]


@pytest.mark.parametrize("code", ['search(q="x")', "bash(cmd='ls')", "bash.call.me()"])
def test_a_call_that_cannot_be_made_is_told(code: str) -> None:
    assert is_broken(block(code))


@pytest.mark.parametrize(
    "text",
    [
        block("x = 3\nprint(x)"),
        "```python\nbash(command='ls')\n```",
        "````\n" + block('bash(command="ls")') + "\n````",
        'Gemma writes its calls in a block of the kind "```tool_code".',
        "```tool_code_example\nbash()\n```",
    ],
)
def test_what_is_no_call_is_left_alone(text: str) -> None:
    assert is_left_alone(text)
