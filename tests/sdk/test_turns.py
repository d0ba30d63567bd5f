"""Turns: their events, their results, their failures."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import minime
from minime import Done, Result, Text, Thinking, ToolCall, ToolResult, Usage

USAGE = Usage(7, 3, 10, cached_tokens=5)
Run = Callable[..., Any]


def test_an_answer_comes_whole(start: Any, run: Run) -> None:
    async def scenario() -> Result:
        async with start() as agent:
            assert agent.session_id == "session-1"
            assert agent.info["name"] == "fake"
            assert agent.capabilities == {"loadSession": True}
            result: Result = await agent.complete("hello you")
            return result

    assert run(scenario()) == Result("Hello, you.", "end_turn", USAGE)


def test_an_agent_can_be_awaited_and_closed_twice(start: Any, run: Run) -> None:
    async def scenario() -> None:
        agent = await start()
        assert (await agent.complete("hello you")).text == "Hello, you."
        await asyncio.gather(agent.close(), agent.close())
        await agent.close()
        with pytest.raises(minime.ClosedError):
            await agent.complete("hello again")

    run(scenario())


def events_of(start: Any, run: Run, prompt: str, **options: Any) -> list[minime.Event]:
    async def scenario() -> list[minime.Event]:
        async with start(**options) as agent:
            return [event async for event in agent.stream(prompt)]

    events: list[minime.Event] = run(scenario())
    return events


def test_an_answer_comes_in_pieces(start: Any, run: Run) -> None:
    assert events_of(start, run, "hello you") == [
        Text("Hello, "),
        Text("you."),
        Done("end_turn", "Hello, you.", USAGE),
    ]


def test_thoughts_are_no_text_and_unknown_kinds_are_skipped(start: Any, run: Run) -> None:
    assert events_of(start, run, "think") == [
        Thinking("hm"),
        Text("So it is."),
        Done("end_turn", "So it is.", USAGE),
    ]


def test_a_call_is_an_event_and_so_is_its_result(start: Any, run: Run) -> None:
    assert events_of(start, run, "bash ls", on_permission=lambda call: True) == [
        Text("I look."),
        ToolCall("c1", "bash: ls", "execute", {"command": "ls"}),
        ToolResult("c1", "completed", "allow"),
        Text("Seen."),
        Done("end_turn", "I look.\n\nSeen.", USAGE),
    ]


def test_a_result_may_come_as_content_alone(start: Any, run: Run) -> None:
    assert events_of(start, run, "plain_result")[:2] == [
        ToolCall("c1", "read", "other", {}),
        ToolResult("c1", "failed", "as content"),
    ]


def test_events_are_made_for_match(start: Any, run: Run) -> None:
    kinds = [event.kind for event in events_of(start, run, "bash ls")]
    assert kinds == ["text", "tool_call", "tool_result", "text", "done"]
    event = Text("a")
    with pytest.raises(AttributeError):
        event.text = "b"  # type: ignore[misc]


def test_a_withdrawn_answer_is_not_part_of_the_result(start: Any, run: Run) -> None:
    events = events_of(start, run, "retract")
    assert [event.text for event in events if isinstance(event, Text)] == [
        "Wrong.",
        "[withdrawn]",
        "Right.",
    ]
    assert events[-1] == Done("end_turn", "Right.", USAGE)


def test_ten_thousand_pieces_are_neither_lost_nor_reordered(start: Any, run: Run) -> None:
    events = events_of(start, run, "flood 10000")
    assert [e.text for e in events if isinstance(e, Text)] == [f"{n} " for n in range(10_000)]


def test_garbage_on_stdout_is_shown_and_harms_nothing(start: Any, run: Run) -> None:
    lines: list[str] = []
    assert events_of(start, run, "garbage", on_stderr=lines.append)[-1] == Done(
        "end_turn", "Still here.", USAGE
    )
    assert "Welcome to libfoo 1.0!" in lines
    assert "42" in lines


def test_the_result_of_a_stream_is_there_afterwards(start: Any, run: Run) -> None:
    async def scenario() -> None:
        async with start() as agent, agent.stream("hello you") as turn:
            with pytest.raises(RuntimeError, match="still running"):
                _ = turn.result
            kinds = [event.kind async for event in turn]
            assert (kinds[0], kinds[-1]) == ("text", "done")
            assert turn.result == Result("Hello, you.", "end_turn", USAGE)
            assert [event async for event in turn] == []

    run(scenario())


def test_an_error_has_the_agents_words_and_its_last_line(start: Any, run: Run) -> None:
    async def scenario() -> None:
        async with start() as agent:
            with pytest.raises(minime.TurnError) as caught:
                await agent.complete("fail the stove is cold")
            assert str(caught.value) == (
                "turn failed: the stove is cold (-32603) [stderr: mm: the stove is off]"
            )
            assert caught.value.code == -32603
            assert caught.value.data == {"details": "the stove is cold"}
            # The agent is as good as before.
            assert (await agent.complete("hello you")).text == "Hello, you."

    run(scenario())


def test_an_error_ends_a_stream_after_what_came_before(start: Any, run: Run) -> None:
    async def scenario() -> None:
        async with start() as agent:
            turn = agent.stream("fail too hot")
            assert await anext(turn) == Text("I try ")
            with pytest.raises(minime.TurnError, match="too hot"):
                await anext(turn)

    run(scenario())


def test_a_crash_is_an_error_with_the_exit_status(start: Any, run: Run) -> None:
    async def scenario() -> None:
        async with start() as agent:
            for _ in range(2):
                with pytest.raises(minime.AgentExited) as caught:
                    await agent.complete("crash")
                assert caught.value.returncode == 3
                assert str(caught.value) == (
                    "mm exited: exit status 3 [stderr: boom: out of cheese]"
                )

    run(scenario())


def test_one_turn_at_a_time(start: Any, run: Run) -> None:
    async def scenario() -> None:
        async with start() as agent:
            async with agent.stream("slow") as turn:
                assert (await anext(turn)).text == "Once upon "
                with pytest.raises(minime.BusyError):
                    agent.stream("hello you")
                with pytest.raises(minime.BusyError):
                    await agent.complete("hello you")
                with pytest.raises(minime.BusyError):
                    await agent.reset()
            assert (await agent.complete("hello you")).text == "Hello, you."

    run(scenario())


def test_two_agents_work_side_by_side(start: Any, run: Run) -> None:
    async def scenario() -> None:
        async with start() as one, start() as other, one.stream("slow") as turn:
            assert (await anext(turn)).text == "Once upon "
            assert (await other.complete("hello you")).text == "Hello, you."

    run(scenario())


def test_reset_begins_a_new_conversation(start: Any, run: Run) -> None:
    async def scenario() -> None:
        async with start() as agent:
            await agent.complete("hello you")
            await agent.reset()
            assert agent.session_id == "session-2"
            assert (await agent.complete("hello you")).text == "Hello, you."

    run(scenario())


def test_folder_variables_and_options_reach_the_agent(start: Any, run: Run, tmp_path: Path) -> None:
    async def scenario() -> list[Any]:
        config = tmp_path / "agent.yaml"
        options = {"config": config, "profile": "tiny", "env": {"FAKE_WORD": "x"}}
        async with start(cwd=tmp_path / ".", **options) as agent:
            found: list[Any] = json.loads((await agent.complete("where")).text)
            return found

    cwd, real, word, arguments = run(scenario())
    assert (cwd, real, word) == (str(tmp_path), str(tmp_path), "x")
    assert arguments[1:] == ["--config", f"{tmp_path}/agent.yaml", "--profile", "tiny", "acp"]
