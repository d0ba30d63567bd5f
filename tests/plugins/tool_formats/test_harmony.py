from __future__ import annotations

import pytest
from hypothesis import given

from format_tools import calls_in, is_broken, is_left_alone, outcome, pieces_of

LS = ("bash", {"command": "ls"})
JSON = '{"command": "ls"}'
CALL = f"<|channel|>commentary to=functions.bash <|constrain|>json<|message|>{JSON}<|call|>"


@pytest.mark.parametrize(
    "text",
    [
        CALL,
        CALL.removesuffix("<|call|>"),
        f"<|start|>assistant{CALL}",
        f"<|start|>assistant to=functions.bash<|channel|>commentary json<|message|>{JSON}<|call|>",
        f"<|channel|>analysis to=functions.bash code<|message|>{JSON}<|call|>",
        f"<|channel|>commentary to=bash <|constrain|>json<|message|>{JSON}<|end|>",
        f"<|channel|>commentary to=functions.bashjson<|message|>{JSON}",
        f"assistantcommentary to=functions.bash json{JSON}",
        f"commentary to=functions.bash json {JSON}",
        f"to=functions.bash json\n{JSON}",
    ],
)
def test_a_call_is_found_in_the_format_and_in_what_servers_leave_of_it(text: str) -> None:
    assert calls_in(text) == [LS]


@given(pieces_of(f"I look.\n{CALL}<|start|>assistant{CALL}"))
def test_text_before_calls_is_shown_and_the_calls_are_not(pieces: list[str]) -> None:
    assert outcome(pieces) == ("I look.\n", [LS, LS], "")


def test_a_cut_call_keeps_what_was_written() -> None:
    assert calls_in(CALL[: CALL.index("ls")]) == [("bash", '{"command": "')]


@pytest.mark.parametrize("text", [CALL.replace("bash", "search"), CALL.replace('command"', 'c"')])
def test_a_call_that_cannot_be_made_is_told(text: str) -> None:
    assert is_broken(text)


@pytest.mark.parametrize(
    "text",
    [
        "<|channel|>commentary<|message|>I will look at the files first.",
        "<|channel|>final<|message|>Hello",
        "<|start|>assistant is how a message begins.",
        f"`{CALL}`",
        "commentary to follow",
        "commentary to=everyone: {this is no call}",
        "assistantcommentary is one word.",
        f"Later in an answer, to=functions.bash json{JSON} is text.",
    ],
)
def test_what_is_no_call_is_left_alone(text: str) -> None:
    assert is_left_alone(text)
