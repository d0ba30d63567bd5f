from __future__ import annotations

import pytest
from hypothesis import given

from format_tools import calls_in, is_broken, is_left_alone, outcome, pieces_of

LS = ("bash", {"command": "ls"})
NOW: tuple[str, dict[str, object]] = ("now", {})
OLD = '[TOOL_CALLS][{"name": "bash", "arguments": {"command": "ls"}}]'
NEW = '[TOOL_CALLS]bash[ARGS]{"command": "ls"}'


@pytest.mark.parametrize(
    "text",
    [
        OLD,
        OLD[:-1],
        '[TOOL_CALLS] [{"name": "bash", "arguments": {"command": "ls"}, "id": "abcdefghi"}]',
        '[TOOL_CALLS]{"name": "bash", "arguments": {"command": "ls"}}',
        NEW,
        '[TOOL_CALLS]bash{"command": "ls"}',
        '[TOOL_CALLS]bash[CALL_ID]a1b2c3d4e[ARGS]{"command": "ls"}',
        '[TOOL_CALLS] bash [ARGS] {"command": "ls"}\n',
    ],
)
def test_a_call_is_found_in_each_generation(text: str) -> None:
    assert calls_in(text) == [LS]


@pytest.mark.parametrize(
    "text",
    [
        '[TOOL_CALLS][{"name": "bash", "arguments": {"command": "ls"}}, '
        '{"name": "now", "arguments": {}}]',
        f"{NEW}[TOOL_CALLS]now[ARGS]{{}}",
        f"{NEW}\n[TOOL_CALLS]now{{}}",
    ],
)
def test_several_calls_are_found_in_order(text: str) -> None:
    assert calls_in(text) == [LS, NOW]


@given(pieces_of(f"I list the files.{NEW}"))
def test_text_before_a_call_is_shown_and_the_call_is_not(pieces: list[str]) -> None:
    assert outcome(pieces) == ("I list the files.", [LS], "")


@pytest.mark.parametrize(
    ("text", "raw"),
    [
        ('[TOOL_CALLS]bash[ARGS]{"command": "l', '{"command": "l'),
        ('[TOOL_CALLS][{"name": "bash", "arguments": {"command": "l', '{"command": "l'),
        ('[TOOL_CALLS][{"name": "bash", "arguments": {"command": "ls"}', {"command": "ls"}),
    ],
)
def test_a_cut_call_keeps_what_was_written(text: str, raw: object) -> None:
    assert calls_in(text) == [("bash", raw)]


@pytest.mark.parametrize(
    "text", ['[TOOL_CALLS]search[ARGS]{"q": 1}', '[TOOL_CALLS][{"name": "bash"}]', "[TOOL_CALLS]"]
)
def test_a_call_that_cannot_be_made_is_told(text: str) -> None:
    assert is_broken(text)


@pytest.mark.parametrize(
    "text",
    [
        "Mistral begins its calls with [TOOL_CALLS] and a list.",
        "[TOOL_CALLS] is a control token, not text.",
        "The token is called [TOOL_CALLS]",
        f"`{NEW}` is a call.",
        f"```\n{OLD}\n```",
        "[TOOL_CALLS](https://example.org/tokens) is documented.",
        "[TOOL] [ARGS] [x] {y}",
    ],
)
def test_what_speaks_of_calls_is_left_alone(text: str) -> None:
    assert is_left_alone(text)
