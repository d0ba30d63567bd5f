from __future__ import annotations

import pytest
from hypothesis import given

from format_tools import calls_in, is_broken, is_left_alone, outcome, pieces_of

LS = ("bash", {"command": "ls"})
INVOKE = '<invoke name="bash">\n<parameter name="command">ls</parameter>\n</invoke>'
CALL = f"<minimax:tool_call>\n{INVOKE}\n</minimax:tool_call>"


@pytest.mark.parametrize(
    "text",
    [
        CALL,
        f"<minimax:tool_call>{INVOKE}",
        f"{INVOKE}\n</minimax:tool_call>",
        INVOKE,
        INVOKE.replace('"', ""),
    ],
)
def test_a_call_is_found_with_and_without_the_outer_tag(text: str) -> None:
    assert calls_in(text) == [LS]


@given(pieces_of(f"Both.\n<minimax:tool_call>\n{INVOKE}\n{INVOKE}\n</minimax:tool_call>\n"))
def test_several_calls_in_one_tag_are_found(pieces: list[str]) -> None:
    assert outcome(pieces) == ("Both.\n", [LS, LS], "")


def test_values_are_converted_by_the_schema() -> None:
    text = (
        '<minimax:tool_call>\n<invoke name="sample">\n<parameter name="count">7</parameter>\n'
        '<parameter name="options">{"a": 1}</parameter>\n</invoke>\n</minimax:tool_call>'
    )
    assert calls_in(text) == [("sample", {"count": 7, "options": {"a": 1}})]


def test_a_cut_call_keeps_what_was_written_as_json_that_is_cut() -> None:
    assert calls_in(CALL.partition("</parameter>")[0]) == [("bash", '{"command": "ls')]


def test_a_whole_call_before_a_cut_one_is_kept() -> None:
    assert calls_in(f'<minimax:tool_call>\n{INVOKE}\n<invoke name="bash">\n') == [LS, ("bash", "{")]


def test_wrong_parameters_are_told() -> None:
    assert is_broken(CALL.replace('"command"', '"cmd"'))


@pytest.mark.parametrize(
    "text",
    [
        f"```xml\n{CALL}\n```",
        "Use the `<invoke name=...>` tag.",
        "In SOAP, <invoke name=x/> does nothing.",
        '<process>\n  <invoke name="step" partnerLink="p"/>\n</process>',
    ],
)
def test_what_is_no_call_is_left_alone(text: str) -> None:
    assert is_left_alone(text)
