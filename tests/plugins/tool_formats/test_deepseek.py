from __future__ import annotations

import pytest
from hypothesis import given

from format_tools import calls_in, is_broken, is_left_alone, outcome, pieces_of

BAR = "\N{FULLWIDTH VERTICAL LINE}"
LS = ("bash", {"command": "ls"})


def tokens(text: str) -> str:
    """Return `text` with `<|tool_sep|>` and its like as DeepSeek's tokenizer has them."""
    for word in ("tool", "call", "calls"):
        text = text.replace(f"{word}_", f"{word}\N{LOWER ONE EIGHTH BLOCK}")
    return text.replace("|", BAR)


OLD = tokens(
    "<|tool_calls_begin|><|tool_call_begin|>function<|tool_sep|>bash\n"
    '```json\n{"command": "ls"}\n```<|tool_call_end|><|tool_calls_end|>'
)
NEW = tokens(
    "<|tool_calls_begin|><|tool_call_begin|>bash<|tool_sep|>"
    '{"command": "ls"}<|tool_call_end|><|tool_calls_end|>'
)


@pytest.mark.parametrize(
    "text",
    [
        OLD,
        NEW,
        NEW.removeprefix(tokens("<|tool_calls_begin|>")),
        NEW.removesuffix(tokens("<|tool_calls_end|>")),
        NEW.removesuffix(tokens("<|tool_call_end|><|tool_calls_end|>")),
        OLD.replace("\N{LOWER ONE EIGHTH BLOCK}", "_"),
        NEW.replace("\N{LOWER ONE EIGHTH BLOCK}", " "),
    ],
)
def test_a_call_is_found_in_each_generation(text: str) -> None:
    assert calls_in(text) == [LS]


@pytest.mark.parametrize("text", [OLD, NEW])
def test_several_calls_in_one_block_are_found(text: str) -> None:
    begin, end = tokens("<|tool_call_begin|>"), tokens("<|tool_call_end|>")
    call = text[text.index(begin) : text.index(end) + len(end)]
    assert calls_in(text.replace(call, f"{call}\n{call}")) == [LS, LS]


@given(pieces_of(f"I look.\n{OLD}"))
def test_text_before_a_call_is_shown_and_the_call_is_not(pieces: list[str]) -> None:
    assert outcome(pieces) == ("I look.\n", [LS], "")


@pytest.mark.parametrize("text", [OLD, NEW])
def test_a_cut_call_keeps_what_was_written(text: str) -> None:
    assert calls_in(text[: text.index('ls"')]) == [("bash", '{"command": "')]


@pytest.mark.parametrize("text", [OLD, NEW])
def test_an_unknown_tool_is_told(text: str) -> None:
    assert is_broken(text.replace("bash", "search"))


@pytest.mark.parametrize(
    "text", [f"```\n{NEW}\n```", f"`{NEW}`", tokens("The token <|tool_calls_begin|> opens them.")]
)
def test_what_speaks_of_calls_is_left_alone(text: str) -> None:
    assert is_left_alone(text)
