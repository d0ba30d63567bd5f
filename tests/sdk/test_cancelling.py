"""Turns that are ended early, in every way there is."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable
from typing import Any

import pytest

import minime
from minime import Done, Result, Text

Run = Callable[..., Any]


async def is_well(agent: minime.Agent) -> bool:
    return (await agent.complete("hello you")).text == "Hello, you."


def test_a_turn_that_takes_too_long_is_cancelled_with_its_text_so_far(start: Any, run: Run) -> None:
    async def scenario() -> None:
        async with start() as agent:
            # The agent says nothing more until it hears of the cancelling.
            result = await agent.complete("slow", timeout=0.5)
            assert (result.text, result.stop_reason) == ("Once upon ", "cancelled")
            assert await is_well(agent)

    run(scenario())


def test_a_turn_is_cancelled_by_another_task(start: Any, run: Run) -> None:
    async def scenario() -> None:
        async with start() as agent:
            await agent.cancel()
            asking = asyncio.ensure_future(agent.complete("slow"))
            await asyncio.sleep(0)
            await agent.cancel()
            assert (await asking).stop_reason == "cancelled"
            assert await is_well(agent)

    run(scenario())


def test_a_stream_that_is_cancelled_goes_to_its_end(start: Any, run: Run) -> None:
    async def scenario() -> None:
        async with start() as agent:
            events = []
            async for event in agent.stream("slow"):
                events.append(event)
                if len(events) == 1:
                    await agent.cancel()
            assert [type(event) for event in events] == [Text, Done]
            assert events[-1].stop_reason == "cancelled"

    run(scenario())


def test_leaving_the_loop_cancels_the_turn(start: Any, run: Run) -> None:
    async def scenario() -> None:
        async with start() as agent:
            async for event in agent.stream("slow"):
                assert event == Text("Once upon ")
                break
            gc.collect()
            await asyncio.sleep(0)
            assert await is_well(agent)

    run(scenario())


def test_leaving_the_block_cancels_the_turn_and_waits_for_it(start: Any, run: Run) -> None:
    async def scenario() -> None:
        async with start() as agent:
            async with agent.stream("slow") as turn:
                await anext(turn)
            assert turn.result.stop_reason == "cancelled"
            assert await is_well(agent)

    run(scenario())


@pytest.mark.parametrize("way", ["complete", "stream"])
def test_cancelling_the_task_cancels_the_turn_and_the_task(start: Any, run: Run, way: str) -> None:
    async def ask(agent: minime.Agent) -> None:
        if way == "complete":
            await agent.complete("slow")
        async for _ in agent.stream("slow"):
            pass

    async def scenario() -> None:
        async with start() as agent:
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.3):
                    await ask(agent)
            # The turn has ended before the error came out.
            assert await is_well(agent)

    run(scenario())


def test_the_error_of_a_cancelled_request_is_a_cancelled_turn(start: Any, run: Run) -> None:
    async def scenario() -> Result:
        async with start() as agent:
            result: Result = await agent.complete("stubborn", timeout=0.3)
            return result

    assert run(scenario()).stop_reason == "cancelled"


def test_an_agent_that_is_deaf_to_cancelling_is_given_up(start: Any, run: Run) -> None:
    async def scenario() -> None:
        async with start(cancel_timeout=0.2) as agent:
            with pytest.raises(minime.TurnError, match="did not end the turn") as caught:
                await agent.complete("deaf", timeout=0.1)
            assert caught.value.code is None

    run(scenario())


def test_closing_ends_a_running_turn_with_an_error(start: Any, run: Run) -> None:
    async def scenario() -> None:
        agent = await start()
        asking = asyncio.ensure_future(agent.complete("deaf"))
        await asyncio.sleep(0)
        await agent.close()
        with pytest.raises(minime.ClosedError):
            await asking

    run(scenario())


def test_a_question_of_permission_is_answered_when_the_turn_is_cancelled(
    start: Any, run: Run
) -> None:
    async def scenario() -> None:
        lines: list[str] = []
        asked = asyncio.Event()

        async def never(call: minime.ToolCall) -> bool:
            asked.set()
            await asyncio.Event().wait()
            return True

        async with start(on_permission=never, on_stderr=lines.append) as agent:
            asking = asyncio.ensure_future(agent.complete("bash rm"))
            await asked.wait()
            await agent.cancel()
            assert (await asking).stop_reason == "cancelled"
        assert lines == ["asked and cancelled"]

    run(scenario())
