"""Who answers whether a call may run, and how."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Any

import pytest

import minime
from minime import ALLOW, REJECT, Decision, ToolCall, ToolResult
from minime.decisions import outcome

Run = Callable[..., Any]


def chosen(start: Any, run: Run, on_permission: Any) -> str:
    """Return the option that the agent was given."""

    async def scenario() -> str:
        async with start(on_permission=on_permission) as agent:
            [result] = [e async for e in agent.stream("bash ls") if isinstance(e, ToolResult)]
            return result.output

    option: str = run(scenario())
    return option


@pytest.mark.parametrize(
    ("said", "option"),
    [
        (ALLOW, "allow"),
        (True, "allow"),
        (REJECT, "reject"),
        (Decision(), "reject"),
        (False, "reject"),
        (None, "reject"),
        (Decision.choose("allow_always"), "allow_always"),
        (Decision.choose("never"), "never"),
        (Decision.choose("anything"), "reject"),
        ("allow", "reject"),
        (1, "reject"),
    ],
)
def test_what_a_callback_returns_decides(start: Any, run: Run, said: Any, option: str) -> None:
    assert chosen(start, run, lambda call: said) == option


def test_without_a_callback_every_call_is_rejected(start: Any, run: Run) -> None:
    assert chosen(start, run, None) == "reject"


def test_a_callback_that_raises_rejects_and_is_logged(
    start: Any, run: Run, caplog: pytest.LogCaptureFixture
) -> None:
    def ask(call: ToolCall) -> bool:
        raise RuntimeError("a bug")

    with caplog.at_level(logging.ERROR, "minime"):
        assert chosen(start, run, ask) == "reject"
    assert "on_permission failed" in caplog.text


def test_a_callback_is_told_of_the_call(start: Any, run: Run) -> None:
    calls: list[ToolCall] = []
    assert chosen(start, run, lambda call: calls.append(call)) == "reject"
    assert calls == [ToolCall("c1", "bash: ls", "execute", {"command": "ls"})]


def test_a_plain_callback_runs_in_another_thread(start: Any, run: Run) -> None:
    threads: list[threading.Thread] = []

    def ask(call: ToolCall) -> bool:
        threads.append(threading.current_thread())
        return True

    assert chosen(start, run, ask) == "allow"
    assert threads != [threading.main_thread()]


def test_an_async_callback_runs_in_the_loop(start: Any, run: Run) -> None:
    async def ask(call: ToolCall) -> Decision:
        assert threading.current_thread() is threading.main_thread()
        return ALLOW

    assert chosen(start, run, ask) == "allow"


def test_options_of_other_names_are_found_by_their_kind() -> None:
    options = [
        {"optionId": "yes", "kind": "allow_once"},
        {"optionId": "no", "kind": "reject_once"},
    ]
    assert outcome(ALLOW, options)["outcome"]["optionId"] == "yes"
    assert outcome(None, options)["outcome"]["optionId"] == "no"
    assert outcome(Decision.choose("never"), options)["outcome"]["optionId"] == "no"


@pytest.mark.parametrize("options", [None, [], {}, [None, 1], [{"optionId": "yes"}], "allow"])
def test_where_nothing_fits_the_question_is_closed(options: Any) -> None:
    assert outcome(ALLOW, options) == {"outcome": {"outcome": "cancelled"}}


def test_the_default_decision_rejects() -> None:
    assert Decision() == minime.REJECT
