from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import Any

import pytest

from minime_core.errors import StreamCut, TurnStopped
from minime_core.events import (
    Heartbeat,
    ModelEvent,
    PromptProgress,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
)
from minime_core.messages import Message, Timings
from minime_core.testing.fault_server import FaultServer
from minime_core.testing.replies import stall, text, tool_call
from minime_core.turn import Stash
from minime_guards.prefill import PREFILL, PrefillSpeed
from minime_guards.settings import GuardSettings
from minime_guards.watchdog import Watchdog

FOREVER = 10_000.0
"""Seconds that no limit of these tests reaches."""


def watchdog() -> Watchdog:
    return Watchdog(Stash(), GuardSettings())


@pytest.mark.parametrize(
    ("last", "said"),
    [
        (TextDelta("The answer is"), "its last words were 'The answer is'"),
        (ThinkingDelta("Hm"), "it was thinking"),
        (ToolCallDelta(0, "bash", "{"), "it was writing a call of bash"),
    ],
)
def test_silence_between_tokens_ends_the_turn(model: Any, last: ModelEvent, said: str) -> None:
    script = model.Script([last, model.Pause(31)])
    assert model.run(watchdog().wrap, script) == [last]
    assert isinstance(model.error, TurnStopped)
    assert model.error.reason == "stalled"
    assert "nothing for 30 s" in str(model.error)
    assert said in str(model.error)
    assert "guards.watchdog_timeout" in str(model.error)
    assert script.closed == len(script.requests) == 1


@pytest.mark.parametrize(
    ("last", "said"),
    [
        ([], "it had not begun to answer"),
        ([Heartbeat()], "it had only given signs of life"),
        ([PromptProgress(120, 400)], "it had read 120 of 400 tokens"),
    ],
)
def test_silence_before_the_first_token_ends_the_turn(
    model: Any, last: list[ModelEvent], said: str
) -> None:
    model.turn.rounds = 2
    model.run(watchdog().wrap, model.Script([*last, model.Pause(181)]))
    assert "nothing for 180 s" in str(model.error)
    assert said in str(model.error)
    assert "guards.first_token_timeout" in str(model.error)


@pytest.mark.parametrize("alive", [PromptProgress(1, 9), Heartbeat()])
def test_signs_of_life_start_the_time_until_the_first_token_anew(
    model: Any, alive: ModelEvent
) -> None:
    pause = model.Pause(179)
    script = model.Script([pause, alive, pause, alive, pause, TextDelta("Hello")])
    model.run(watchdog().wrap, script)
    assert model.error is None


@pytest.mark.parametrize(
    "alive", [TextDelta("a"), ThinkingDelta("a"), ToolCallDelta(0, "bash", "a"), Heartbeat()]
)
def test_whatever_comes_starts_the_time_between_tokens_anew(model: Any, alive: ModelEvent) -> None:
    pause = model.Pause(29)
    script = model.Script([TextDelta("a"), pause, alive, pause, alive, pause, model.done("a")])
    model.run(watchdog().wrap, script)
    assert model.error is None


def test_a_long_answer_has_no_limit(model: Any) -> None:
    script = model.Script([TextDelta("a"), model.Pause(20)] * 1000)
    assert len(model.run(watchdog().wrap, script)) == 1000
    assert model.error is None


def test_where_nothing_was_shown_the_answer_is_asked_for_in_one_piece(model: Any) -> None:
    script = model.Script([Heartbeat(), model.Pause(FOREVER)], [model.Pause(100), model.done("a")])
    assert model.run(watchdog().wrap, script)[-1] == model.done("a")
    assert [request.stream for request in script.requests] == [True, False]
    assert script.closed == 2


def test_that_is_tried_once(model: Any) -> None:
    script = model.Script([model.Pause(FOREVER)], [model.Pause(FOREVER)])
    model.run(watchdog().wrap, script)
    assert isinstance(model.error, TurnStopped)
    assert len(script.requests) == 2


def test_a_server_whose_streaming_is_broken_is_not_asked_to_stream_again(model: Any) -> None:
    layer, done = watchdog(), [model.done("a")]
    script = model.Script([model.Pause(FOREVER)], done, done)
    model.run(layer.wrap, script)
    model.turn.rounds = 2
    model.run(layer.wrap, script)
    assert [request.stream for request in script.requests] == [True, False, False]


def test_the_time_in_which_the_consumer_holds_an_event_does_not_count(model: Any) -> None:
    async def consume() -> list[ModelEvent]:
        seen = []
        script = model.Script([TextDelta("a"), TextDelta("b")])
        async with aclosing(watchdog().wrap(model.request(), script)) as events:
            async for event in events:
                seen.append(event)
                await asyncio.sleep(FOREVER)
        return seen

    assert model.play(consume()) == [TextDelta("a"), TextDelta("b")]


@pytest.mark.parametrize("at", [0, 29.9, 30])
def test_the_user_who_cancels_is_not_told_of_a_stall(model: Any, at: float) -> None:
    script = model.Script([TextDelta("a"), model.Pause(FOREVER)])

    async def consume() -> None:
        async with aclosing(watchdog().wrap(model.request(), script)) as events:
            async for _ in events:
                pass

    async def cancel() -> int:
        task = asyncio.create_task(consume())
        asyncio.get_running_loop().call_at(at, task.cancel)
        with pytest.raises(asyncio.CancelledError):
            await task
        return task.cancelling()

    assert model.play(cancel()) == 1
    assert script.closed == 1


def test_a_stall_leaves_no_cancellation_behind(model: Any) -> None:
    async def consume() -> None:
        script = model.Script([TextDelta("a"), model.Pause(FOREVER)])
        async with aclosing(watchdog().wrap(model.request(), script)) as events:
            async for _ in events:
                pass

    async def cancellations() -> int:
        with pytest.raises(TurnStopped):
            await consume()
        await asyncio.sleep(1)
        task = asyncio.current_task()
        assert task is not None
        return task.cancelling()

    assert model.play(cancellations()) == 0


def test_errors_of_the_server_pass(model: Any) -> None:
    cut = StreamCut("broke off")
    model.run(watchdog().wrap, model.Script([TextDelta("a"), cut]))
    assert model.error is cut


# How long a prompt may be read


def test_the_speed_of_reading_is_learnt_from_timings(model: Any) -> None:
    stash = Stash()
    layer = Watchdog(stash, GuardSettings())
    done = model.done("Hello")
    timed = type(done)(message=done.message, timings=Timings(prompt_tokens=1000, prompt_ms=20_000))
    model.run(layer.wrap, model.Script([timed]))
    assert stash.get(PREFILL, PrefillSpeed()).tokens_per_second == 50


def test_a_long_prompt_on_a_slow_server_has_three_times_the_estimate(model: Any) -> None:
    stash = Stash()
    speed = PrefillSpeed()
    speed.learn(1000, 100)
    stash.set(PREFILL, speed)
    model.messages[-1] = Message(role="user", text="x" * 30_000)
    layer = Watchdog(stash, GuardSettings())
    assert layer.first_limit(model.request()) == pytest.approx(3000, rel=0.01)
    assert Watchdog(Stash(), GuardSettings()).first_limit(model.request()) == 180


@pytest.mark.parametrize(("tokens", "seconds"), [(20, 1.0), (None, 1.0), (1000, 0.0)])
def test_what_says_little_about_the_speed_is_not_learnt(tokens: int | None, seconds: float) -> None:
    speed = PrefillSpeed()
    speed.learn(tokens, seconds)
    assert speed.tokens_per_second is None


# Against the fault server


def test_a_stalled_server_through_the_command_line(mm: Any, server: FaultServer) -> None:
    server.enqueue(text("The answer") + stall())
    code, out, err = mm.ask(watchdog_timeout=0.2)
    assert (code, out) == (1, "")
    assert "stalled: the server sent nothing" in err
    assert server.chat_requests[0].wait_ended()
    assert server.chat_requests[0].closed_by_client


def test_a_server_that_cannot_stream_answers_in_one_piece(chat: Any, server: FaultServer) -> None:
    chat.set({"first_token_timeout": 0.5})
    server.enqueue(stall(), text("Hello."))
    assert chat.ask().text == "Hello."
    assert [request.json["stream"] for request in server.chat_requests] == [True, False]


def test_after_a_tool_ran_a_stall_ends_the_turn(chat: Any, server: FaultServer) -> None:
    chat.set({"first_token_timeout": 0.5})
    server.enqueue(tool_call("bash", {"command": "ls"}), stall())
    assert chat.ask().reason == "stalled"
    assert len(chat.tools.ran) == 1
    assert len(server.chat_requests) == 2
