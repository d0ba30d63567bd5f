"""The plan: shown to the user as a list, acknowledged to the model in one line."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minime_builtin_tools.plan_tool import MAX_STEPS, read_steps
from tool_caller import Caller


def step(text: str, status: str = "pending") -> dict[str, str]:
    return {"step": text, "status": status}


def test_the_steps_are_shown_and_acknowledged_in_one_line(tools: Caller) -> None:
    steps = [step("Read the code", "done"), step("Fix it", "in_progress"), step("Run the tests")]
    result = tools("plan", steps=steps)
    assert result.text == "[plan: shown, 1 of 3 done; next: Fix it]"
    assert tools.shown == ["[x] Read the code\n[>] Fix it\n[ ] Run the tests\n"]


def test_with_nothing_in_progress_the_first_open_step_is_next(tools: Caller) -> None:
    result = tools("plan", steps=[step("a", "done"), step("b"), step("c")])
    assert result.text.endswith("next: b]")


def test_a_finished_plan_asks_for_the_answer(tools: Caller) -> None:
    result = tools("plan", steps=[step("a", "done")])
    assert result.text == "[plan: shown, 1 of 1 done; tell the user what you did]"


@pytest.mark.parametrize(
    "steps",
    [
        ["a", "b"],
        json.dumps([step("a"), step("b")]),
        "a\nb",
        [{"title": "a"}, {"description": "b", "status": "todo"}],
        [step(" a\n"), step("b", "Pending"), {}, None, 7],
    ],
)
def test_other_shapes_are_taken(tools: Caller, steps: Any) -> None:
    tools("plan", steps=steps)
    assert tools.shown == ["[ ] a\n[ ] b\n"]


@pytest.mark.parametrize("word", ["in progress", "In-Progress", "doing", "ACTIVE"])
def test_other_words_for_a_status_are_understood(word: str) -> None:
    assert read_steps([step("a", word)]) == [("a", "in_progress")]


@pytest.mark.parametrize("steps", [[], "", {}, 7, None, [""]])
def test_a_plan_without_steps_is_refused(tools: Caller, steps: Any) -> None:
    result = tools("plan", steps=steps)
    assert result.text.startswith("[plan: there are no steps. Expected {")
    assert not result.ok
    assert tools.shown == []


def test_a_plan_without_end_is_refused(tools: Caller) -> None:
    result = tools("plan", steps=["a"] * (MAX_STEPS + 1))
    assert result.text == "[plan: 51 steps are too many; at most 50]"


def test_a_plan_needs_no_permission(tools: Caller) -> None:
    assert tools.tools["plan"].effects == frozenset()


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["step", "status", "x"]), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(json_values)
def test_anything_becomes_steps_of_one_line(value: Any) -> None:
    for text, status in read_steps(value):
        assert text.strip()
        assert len(text.splitlines()) == 1
        assert status in ("pending", "in_progress", "done")
