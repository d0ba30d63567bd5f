"""The same without `await`."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import minime
from minime import Done, Text


@pytest.fixture
def agent(tmp_path: Path, fake: list[str]) -> Iterator[minime.sync.Agent]:
    with minime.sync.start(mm=fake, cwd=tmp_path, on_permission=lambda call: True) as agent:
        yield agent


def test_an_answer_comes_whole(agent: minime.sync.Agent) -> None:
    assert agent.session_id == "session-1"
    assert agent.complete("hello you").text == "Hello, you."


def test_an_answer_comes_in_pieces(agent: minime.sync.Agent) -> None:
    kinds = [event.kind for event in agent.stream("bash ls")]
    assert kinds == ["text", "tool_call", "tool_result", "text", "done"]


def test_leaving_the_loop_cancels_the_turn(agent: minime.sync.Agent) -> None:
    for event in agent.stream("slow"):
        assert event == Text("Once upon ")
        break
    assert agent.complete("hello you").text == "Hello, you."


def test_another_thread_cancels(agent: minime.sync.Agent) -> None:
    events = agent.stream("slow")
    next(events)
    threading.Thread(target=agent.cancel).start()
    assert [event.stop_reason for event in events if isinstance(event, Done)] == ["cancelled"]


def test_errors_come_as_they_are(agent: minime.sync.Agent) -> None:
    with pytest.raises(minime.TurnError, match="cold"):
        agent.complete("fail cold")
    with pytest.raises(minime.TurnError, match="cold"):
        list(agent.stream("fail cold"))
    assert agent.complete("slow", timeout=0.2).stop_reason == "cancelled"


def test_reset_begins_a_new_conversation(agent: minime.sync.Agent) -> None:
    agent.reset()
    assert agent.session_id == "session-2"


def test_closing_twice_does_no_harm(agent: minime.sync.Agent) -> None:
    agent.close()
    agent.close()


def test_a_failing_start_leaves_nothing_behind(tmp_path: Path, fake: list[str]) -> None:
    before = set(threading.enumerate())
    with pytest.raises(minime.StartError):
        minime.sync.start(mm="/no/such/mm", cwd=tmp_path)
    with pytest.raises(ValueError, match="cwd"):
        minime.sync.start(mm=fake, cwd="/no/such/folder")
    assert set(threading.enumerate()) <= before
