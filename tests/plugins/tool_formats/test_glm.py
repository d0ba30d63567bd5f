from __future__ import annotations

import pytest
from hypothesis import given

from format_tools import calls_in, is_broken, is_left_alone, outcome, pieces_of

LS = ("bash", {"command": "ls"})
CALL = "<tool_call>bash\n<arg_key>command</arg_key>\n<arg_value>ls</arg_value>\n</tool_call>"


@pytest.mark.parametrize(
    "text",
    [
        CALL,
        f"\n{CALL}\n",
        "<tool_call>bash<arg_key>command</arg_key><arg_value>ls</arg_value></tool_call>",
        "<tool_call>\nbash\n<arg_key>command</arg_key>\n<arg_value>ls</arg_value>\n</tool_call>",
    ],
)
def test_a_call_is_found_with_and_without_line_ends(text: str) -> None:
    assert calls_in(text) == [LS]


@given(pieces_of(f"Listing.\n{CALL}\n{CALL}"))
def test_text_before_calls_is_shown_and_the_calls_are_not(pieces: list[str]) -> None:
    assert outcome(pieces) == ("Listing.\n", [LS, LS], "")


@pytest.mark.parametrize("text", ["<tool_call>now</tool_call>", "<tool_call>now\n</tool_call>"])
def test_a_call_without_arguments_is_found(text: str) -> None:
    assert calls_in(text) == [("now", {})]


def test_values_are_converted_by_the_schema() -> None:
    text = (
        "<tool_call>sample\n<arg_key>text</arg_key>\n<arg_value>[1]</arg_value>\n"
        "<arg_key>count</arg_key>\n<arg_value>3</arg_value>\n"
        "<arg_key>items</arg_key>\n<arg_value>[1, 2]</arg_value>\n</tool_call>"
    )
    assert calls_in(text) == [("sample", {"text": "[1]", "count": 3, "items": [1, 2]})]


@pytest.mark.parametrize(
    ("text", "raw"),
    [
        ("<tool_call>bash\n<arg_key>command</arg_key>\n<arg_value>rm -rf", '{"command": "rm -rf'),
        ("<tool_call>bash\n<arg_key>command</arg_key>\n<arg_val", "{"),
        (
            CALL.removesuffix("</tool_call>"),
            '{"command": "ls"',
        ),
    ],
)
def test_a_cut_call_keeps_what_was_written_as_json_that_is_cut(text: str, raw: str) -> None:
    assert calls_in(text) == [("bash", raw)]


def test_an_unknown_tool_is_told() -> None:
    assert is_broken(CALL.replace("bash", "search"))


@pytest.mark.parametrize(
    "text",
    [f"```\n{CALL}\n```", f"`{CALL[:20]}`", "<tool_call>bash is how a call begins, he said."],
)
def test_what_speaks_of_calls_is_left_alone(text: str) -> None:
    assert is_left_alone(text)
