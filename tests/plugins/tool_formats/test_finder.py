"""What is found in an answer of any kind, in any pieces."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from format_tools import calls_in, is_left_alone, outcome, pieces_of, read
from minime_tool_formats.splitter import MAX_MISSES

CALL = '<tool_call>{"name": "bash", "arguments": {"command": "ls"}}</tool_call>'
LS = ("bash", {"command": "ls"})
FRAGMENTS = [
    CALL,
    '{"name": "bash", "arguments": {"command": "ls"}}',
    '{"name": "nope", "arguments": {}}',
    "```json\n",
    "```tool_code\n",
    'bash(command="ls")',
    "<function=bash>",
    "<parameter=command>",
    "</parameter>",
    "</function>",
    "[TOOL_CALLS]",
    "bash",
    "[ARGS]",
    '{"command": "ls"}',
    '<|tool_call>call:bash{command:<|"|>ls<|"|>}',
    "<tool_call|>",
    "<|python_tag|>",
    "<|channel|>commentary to=functions.bash ",
    "<|message|>",
    "<minimax:tool_call>",
    '<invoke name="bash">',
    '<parameter name="command">',
    "</invoke>",
    "<arg_key>command</arg_key>",
    "<arg_value>",
    "</arg_value>",
    "assistantcommentary",
    "to=functions.now",
    '{"name"',
    "text",
    "<tool_call>",
    "</tool_call>",
    "```",
    "~~~",
    *"`{}[]<,;\"'\\",
    "\n",
    "\n\n",
    " ",
]
answers = st.lists(st.sampled_from(FRAGMENTS), max_size=12).map("".join)


@given(answers, st.data())
def test_pieces_make_no_difference(text: str, data: st.DataObject) -> None:
    assert outcome(data.draw(pieces_of(text))) == outcome([text])


@given(answers)
def test_text_without_calls_is_left_as_it_is(text: str) -> None:
    shown, calls, broken = outcome(text)
    assert calls or shown + broken == text


@pytest.mark.parametrize(
    "text",
    [
        f"```\n{CALL}\n``` \n",
        f"   ```xml\n   {CALL}\n   ```\n",
        f"~~~\n```\n{CALL}\n```\n~~~",
        f"```md\n```xml\n{CALL}\n```",
        f"````\n```\n\n{CALL}\n````",
        f"```{CALL}```",
        f"``a ` {CALL}`` b",
        f"A `b` and `{CALL}` too.",
        f"\N{LEFT DOUBLE QUOTATION MARK}{CALL}\N{RIGHT DOUBLE QUOTATION MARK}",
        f'"{CALL[:11]}\n{CALL[11:]}"',
    ],
)
def test_code_and_quotations_are_left_alone(text: str) -> None:
    assert is_left_alone(text)


@pytest.mark.parametrize(
    "text",
    [
        f"```\ncode\n```\n{CALL}",
        f"```md\n```xml\n```\n{CALL}",
        f"~~~\n```\n~~~\n{CALL}",
        f"It's the ` key.\n{CALL}",
        f"Run `ls`: {CALL}",
        f"``a ` b`` {CALL}",
        f"```a``` b\n{CALL}",
        f"~~gone~~ {CALL}",
        f"Now.{CALL}\nI wait.",
        f"{CALL} I wait.",
    ],
)
def test_a_call_beside_code_is_found(text: str) -> None:
    assert calls_in(text) == [LS]


def test_text_behind_a_call_is_kept_and_space_is_not() -> None:
    assert outcome([f"A\n{CALL}\nB"]) == ("A\n\nB", [LS], "")
    assert outcome([f"A\n{CALL}\n\n"]) == ("A\n", [LS], "")


def test_a_broken_call_beside_a_good_one_is_text() -> None:
    broken = CALL.replace("bash", "nope")
    assert outcome([f"{broken}\n{CALL}"]) == (f"{broken}\n", [LS], "")


def test_a_false_beginning_is_shown_as_soon_as_it_is_known_to_be_one() -> None:
    shown, _ = read(["The [TOOL_", "CALLS] is a token, ", "and a <tool", "_bar> is none, "])
    assert shown == "The [TOOL_CALLS] is a token, and a <tool_bar> is none, "


def test_what_follows_many_false_beginnings_is_text() -> None:
    false = "[TOOL_CALLS] is a token.\n"
    assert calls_in(false * (MAX_MISSES - 1) + CALL) == [LS]
    assert is_left_alone(false * MAX_MISSES + CALL)
