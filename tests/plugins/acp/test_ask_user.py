"""The tool `ask_user`, by a form of the client."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from acp_client import Refused
from minime_core.testing.fault_server import FaultServer
from minime_core.testing.replies import text, tool_call

Run = Callable[..., Any]
FORMS: dict[str, Any] = {"elicitation": {"form": {}}}
CREATE = "elicitation/create"


@pytest.mark.parametrize(
    ("capabilities", "offered"),
    [
        (FORMS, True),
        ({"elicitation": {"form": {}, "url": {}}}, True),
        ({"elicitation": {"form": None}}, False),
        ({"elicitation": {"url": {}}}, False),
        ({"elicitation": {}}, False),
        ({}, False),
    ],
)
def test_it_is_offered_to_the_model_where_the_client_has_forms(
    connect: Any, run: Run, server: FaultServer, capabilities: Any, offered: bool
) -> None:
    server.respond = text("Yes.")

    async def scenario() -> None:
        async with connect(capabilities) as client:
            await client.prompt(await client.new(), "hi")

    run(scenario())
    names = {tool["function"]["name"] for tool in server.chat_requests[0].json["tools"]}
    assert ("ask_user" in names) is offered


def told(
    connect: Any, run: Run, server: FaultServer, answer: Any, **arguments: Any
) -> tuple[Any, str]:
    """Return what the client was asked, and what the model was told of the answer."""
    server.enqueue(tool_call("ask_user", {"question": "Which?", **arguments}), text("I see."))
    asked: list[Any] = []

    async def scenario() -> None:
        async with connect(FORMS) as client:

            def reply(params: dict[str, Any]) -> Any:
                asked.append(params)
                return answer(params)

            client.answers[CREATE] = reply
            session = await client.new()
            await client.prompt(session, "do it")
            [begun] = client.of(session, "tool_call")
            assert begun["title"] == "Which?"
            assert asked[0]["toolCallId"] == begun["toolCallId"]

    run(scenario())
    words: str = server.chat_requests[-1].json["messages"][-1]["content"]
    return asked[0], words


def accept(answer: Any) -> Any:
    return lambda params: {"action": "accept", "content": {"answer": answer}}


def test_the_users_words_are_the_result(connect: Any, run: Run, server: FaultServer) -> None:
    asked, words = told(connect, run, server, accept("the red one"))
    assert (asked["mode"], asked["message"]) == ("form", "Which?")
    assert asked["requestedSchema"]["properties"]["answer"]["type"] == "string"
    assert words == "the red one"


def test_options_are_a_choice(connect: Any, run: Run, server: FaultServer) -> None:
    asked, words = told(connect, run, server, accept("red"), options=["red", "blue", "red"])
    assert asked["requestedSchema"]["properties"]["answer"]["enum"] == ["red", "blue"]
    assert words == "red"


def fails(params: dict[str, Any]) -> Any:
    raise Refused({"code": -32603, "message": "the form broke"})


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda params: {"action": "decline"}, "did not answer; go on without it"),
        (lambda params: {"action": "cancel", "content": {"answer": "x"}}, "did not answer"),
        (lambda params: {"action": "accept"}, "did not answer"),
        (lambda params: None, "did not answer"),
        (lambda params: ["accept"], "did not answer"),
        (accept(""), "the answer is empty"),
        (fails, "could not be asked: the form broke"),
    ],
)
def test_no_answer_is_said_to_the_model(
    connect: Any, run: Run, server: FaultServer, answer: Any, words: str
) -> None:
    assert words in told(connect, run, server, answer)[1]


def test_a_turn_can_be_cancelled_while_the_form_is_open(
    connect: Any, run: Run, server: FaultServer
) -> None:
    server.enqueue(tool_call("ask_user", {"question": "Which?"}), text("Hello."))

    async def scenario() -> None:
        async with connect(FORMS) as client:
            asked = asyncio.Event()

            async def reply(params: dict[str, Any]) -> Any:
                asked.set()
                await asyncio.Event().wait()

            client.answers[CREATE] = reply
            session = await client.new()
            answer = client.begin_prompt(session, "do it")
            await asked.wait()
            client.tell("session/cancel", sessionId=session)
            assert (await answer)["result"]["stopReason"] == "cancelled"
            [number] = [m["id"] for m in client.heard if m.get("method") == CREATE]
            assert {"requestId": number} in [m.get("params") for m in client.heard]
            await client.prompt(session, "hi")

    run(scenario())
