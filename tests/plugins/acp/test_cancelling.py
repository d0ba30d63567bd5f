"""Turns that the client cancels, in each phase: the prompt is answered, and nothing is left.

How fast that is does not have to be measured: in each test what the turn waits for never comes, so
that an answer can only come from the cancelling.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from acp_client import Client
from minime_acp.turn import CANCEL_TIME
from minime_core.testing.fault_server import FaultServer
from minime_core.testing.replies import comments, stall, text, thinking, tool_call

Run = Callable[..., Any]
ENDLESS = "echo begun; touch begun; sleep 3600; touch ended"


async def cancelled(client: Client, session: str, answer: asyncio.Future[Any]) -> None:
    """Cancel, and check that the answer says so and that no call stays open."""
    client.tell("session/cancel", sessionId=session)
    assert (await answer)["result"]["stopReason"] == "cancelled"
    begun = [u["toolCallId"] for u in client.of(session, "tool_call")]
    ended = {
        u["toolCallId"]: u["status"]
        for u in client.of(session, "tool_call_update")
        if u["status"] in ("completed", "failed")
    }
    assert ended == dict.fromkeys(begun, "failed")


def test_the_time_that_a_turn_has_to_end_leaves_room_in_the_second() -> None:
    assert CANCEL_TIME <= 0.8


@pytest.mark.parametrize(
    "reply",
    [
        stall(),
        comments(1) + stall(),
        thinking("Hm, ") + stall(),
        text("Once upon ") + stall(),
    ],
    ids=["silent", "alive", "thinking", "streaming"],
)
def test_while_the_model_answers(connect: Any, run: Run, server: FaultServer, reply: Any) -> None:
    server.enqueue(reply, text("Hello."))

    async def scenario() -> None:
        async with connect() as client:
            session = await client.new()
            answer = client.begin_prompt(session, "a long story")
            while not server.chat_requests:
                await client.until(lambda: True)
                await asyncio.sleep(0)
            if b"content" in repr(reply).encode():
                await client.until(
                    lambda: client.of(session, "agent_message_chunk", "agent_thought_chunk")
                )
            await cancelled(client, session, answer)
            assert (await client.prompt(session, "hi"))["stopReason"] == "end_turn"

    run(scenario())
    # The model hears nothing of what was cancelled.
    messages = server.chat_requests[-1].json["messages"]
    assert [m["content"] for m in messages if m["role"] != "system"] == ["hi"]


def test_while_a_command_runs(connect: Any, run: Run, server: FaultServer, cwd: Path) -> None:
    server.enqueue(tool_call("bash", {"command": ENDLESS}), text("Hello."))

    async def scenario() -> None:
        async with connect(policy="yolo") as client:
            session = await client.new()
            answer = client.begin_prompt(session, "run it")
            await client.until(
                lambda: [u for u in client.of(session, "tool_call_update") if u.get("content")]
            )
            await cancelled(client, session, answer)
            await client.prompt(session, "hi")

    run(scenario())
    assert (cwd / "begun").exists()
    assert not (cwd / "ended").exists()
    messages = server.chat_requests[-1].json["messages"]
    assert [m["content"] for m in messages if m["role"] != "system"] == ["hi"]


@pytest.mark.full
def test_while_a_command_runs_that_ignores_signals(
    connect: Any, run: Run, server: FaultServer
) -> None:
    deaf = "trap '' TERM INT HUP; echo begun; while :; do sleep 3600; done"
    server.enqueue(tool_call("bash", {"command": deaf}), text("Hello."))

    async def scenario() -> None:
        async with connect(policy="yolo") as client:
            session = await client.new()
            answer = client.begin_prompt(session, "run it")
            await client.until(
                lambda: [u for u in client.of(session, "tool_call_update") if u.get("content")]
            )
            await cancelled(client, session, answer)
            # The next turn waits for the end of what the one before has started.
            await client.prompt(session, "hi")

    run(scenario())


def test_right_behind_the_prompt(connect: Any, run: Run, server: FaultServer) -> None:
    server.respond = stall()

    async def scenario() -> None:
        async with connect() as client:
            session = await client.new()
            answer = client.begin_prompt(session, "never mind")
            await cancelled(client, session, answer)

    run(scenario())


def test_twice(connect: Any, run: Run, server: FaultServer) -> None:
    server.enqueue(text("Once upon ") + stall(), text("Hello."))

    async def scenario() -> None:
        async with connect() as client:
            session = await client.new()
            answer = client.begin_prompt(session, "a story")
            await client.until(lambda: client.text(session))
            client.tell("session/cancel", sessionId=session)
            await cancelled(client, session, answer)
            await client.prompt(session, "hi")

    run(scenario())


def test_when_nothing_runs_it_does_nothing(connect: Any, run: Run, server: FaultServer) -> None:
    server.enqueue(text("Hello."))

    async def scenario() -> None:
        async with connect() as client:
            session = await client.new()
            client.tell("session/cancel", sessionId=session)
            client.tell("session/cancel", sessionId="unknown")
            client.tell("session/cancel")
            assert (await client.prompt(session, "hi"))["stopReason"] == "end_turn"

    run(scenario())


def test_another_session_goes_on(connect: Any, run: Run, server: FaultServer) -> None:
    server.enqueue(text("one ") + stall())

    async def scenario() -> None:
        async with connect() as client:
            one, other = await client.new(), await client.new()
            first = client.begin_prompt(one, "first")
            await client.until(lambda: client.text(one))
            server.enqueue(text("other ") + stall())
            second = client.begin_prompt(other, "second")
            await client.until(lambda: client.text(other))
            await cancelled(client, one, first)
            assert not second.done()
            await cancelled(client, other, second)

    run(scenario())


def test_a_request_is_cancelled_by_its_id(connect: Any, run: Run, server: FaultServer) -> None:
    server.enqueue(text("Once ") + stall(), text("Hello."))

    async def scenario() -> None:
        async with connect() as client:
            session = await client.new()
            client.send(
                id="mine",
                method="session/prompt",
                params={"sessionId": session, "prompt": [{"type": "text", "text": "a story"}]},
            )
            await client.until(lambda: client.text(session))
            client.tell("$/cancel_request", requestId="mine")
            client.tell("$/cancel_request", requestId="other")
            client.tell("$/cancel_request", requestId=[])
            [answer] = await client.until(
                lambda: [m for m in client.heard if m.get("id") == "mine"]
            )
            assert answer["error"]["code"] == -32800
            assert (await client.prompt(session, "hi"))["stopReason"] == "end_turn"

    run(scenario())


def test_a_request_that_has_not_begun_is_answered_too(
    connect: Any, run: Run, server: FaultServer
) -> None:
    async def scenario() -> None:
        async with connect() as client:
            session = await client.new()
            # Both in one packet.
            answer = client.begin_prompt(session, "never mind")
            number = max(client.numbers)
            client.tell("$/cancel_request", requestId=number)
            assert (await answer)["error"]["code"] == -32800

    server.respond = stall()
    run(scenario())


def test_a_closed_session_ends_its_turn_first(connect: Any, run: Run, server: FaultServer) -> None:
    server.enqueue(text("Once ") + stall())

    async def scenario() -> None:
        async with connect() as client:
            session = await client.new()
            answer = client.begin_prompt(session, "a story")
            await client.until(lambda: client.text(session))
            assert await client.ask("session/close", sessionId=session) == {}
            assert answer.done()
            assert (await answer)["result"]["stopReason"] == "cancelled"

    run(scenario())
