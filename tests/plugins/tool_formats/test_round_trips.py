"""What each format writes, it reads."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from format_tools import ALL, TOOLS, outcome, pieces_of, sample_arguments
from minime_core.messages import ToolCall, clean_json
from minime_tool_formats.family import Family

families = pytest.mark.parametrize("family", ALL, ids=lambda family: family.name)


@families
@given(arguments=sample_arguments, data=st.data())
def test_a_rendered_call_is_read_again_in_any_pieces(
    family: Family, arguments: dict[str, Any], data: st.DataObject
) -> None:
    # A value that holds all the tags that end a call does end it.
    assume("></" not in str(arguments).replace("\\n", ""))
    arguments = clean_json(arguments)
    written = family.render_answer("", [ToolCall(name="sample", arguments=arguments)])
    assert outcome(data.draw(pieces_of(written))) == ("", [("sample", arguments)], "")


@pytest.mark.sample(3)
@families
@given(first=sample_arguments, second=sample_arguments)
def test_text_and_several_calls_are_told_apart(
    family: Family, first: dict[str, Any], second: dict[str, Any]
) -> None:
    # A value that holds the tags of its own syntax may end where it should not.
    assume("</" not in str([first, second]))
    expected = [("sample", clean_json(first)), ("sample", clean_json(second))]
    calls = [ToolCall(name=name, arguments=arguments) for name, arguments in expected]
    text = "" if not family.openers else "First a look at both."
    shown, found, broken = outcome([family.render_answer(text, calls)])
    assert (shown.strip(), found, broken) == (text, expected, "")


@families
def test_an_answer_without_calls_is_rendered_as_it_is(family: Family) -> None:
    assert family.render_answer("It is done.", []) == "It is done."


@families
def test_the_prompt_names_each_tool_and_shows_the_syntax(family: Family) -> None:
    prompt = family.render_tools(list(TOOLS.values()))
    assert all(name in prompt for name in TOOLS)
    assert family.usage in prompt


@families
def test_a_result_keeps_its_text(family: Family) -> None:
    assert "42 files" in family.render_result("bash", "42 files")
