"""Questions of permission: who is asked what, and what runs then."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from acp_client import Client, Refused, choose
from minime_core.testing.fault_server import FaultServer
from minime_core.testing.replies import text, tool_call

Run = Callable[..., Any]
ASK = "session/request_permission"


def touch(name: str) -> Any:
    return tool_call("bash", {"command": f"touch {name}"})


def test_the_question_has_all_that_a_client_shows(
    connect: Any, run: Run, server: FaultServer, cwd: Path
) -> None:
    server.enqueue(touch("a"), text("Done."))
    asked: list[dict[str, Any]] = []

    async def scenario() -> None:
        async with connect() as client:

            def answer(params: dict[str, Any]) -> Any:
                asked.append(params)
                return choose("reject")(params)

            client.answers[ASK] = answer
            session = await client.new()
            await client.prompt(session, "touch it")
            [begun] = client.of(session, "tool_call")
            # The client knows of the call before it is asked.
            heard = [message.get("method") for message in client.heard]
            call = next(n for n, m in enumerate(client.heard) if _kind(m) == "tool_call")
            assert call < heard.index(ASK)
            [question] = asked
            assert question["sessionId"] == session
            shown = question["toolCall"]
            for key in ("toolCallId", "title", "kind", "rawInput", "status"):
                assert shown[key] == begun[key]
            assert [(option["optionId"], option["kind"]) for option in question["options"]] == [
                ("allow", "allow_once"),
                ("allow_always", "allow_always"),
                ("reject", "reject_once"),
                ("never", "reject_always"),
            ]

    run(scenario())


def _kind(message: dict[str, Any]) -> str:
    kind: str = message.get("params", {}).get("update", {}).get("sessionUpdate", "")
    return kind


@pytest.mark.parametrize(
    ("option", "asked", "made"),
    [
        ("allow", 2, {"a", "b"}),
        ("allow_always", 1, {"a", "b"}),
        ("reject", 2, set()),
        ("never", 1, set()),
    ],
)
def test_an_answer_holds_once_or_for_the_tool_in_this_session(
    connect: Any, run: Run, server: FaultServer, cwd: Path, option: str, asked: int, made: set[str]
) -> None:
    server.enqueue(touch("a"), text("One."), touch("b"), text("Two."))
    questions: list[Any] = []

    async def scenario() -> None:
        async with connect() as client:

            def answer(params: dict[str, Any]) -> Any:
                questions.append(params)
                return choose(option)(params)

            client.answers[ASK] = answer
            session = await client.new()
            await client.prompt(session, "first")
            await client.prompt(session, "second")
            ended = [u["status"] for u in client.of(session, "tool_call_update")]
            assert ended.count("completed") == len(made)
            assert ended.count("failed") == 2 - len(made)

    run(scenario())
    assert len(questions) == asked
    assert {path.name for path in cwd.iterdir()} - {".mm"} == made


def test_an_answer_does_not_hold_in_another_session(
    connect: Any, run: Run, server: FaultServer, cwd: Path
) -> None:
    server.enqueue(touch("a"), text("One."), touch("b"), text("Two."))
    questions: list[str] = []

    async def scenario() -> None:
        async with connect() as client:

            def answer(params: dict[str, Any]) -> Any:
                questions.append(params["sessionId"])
                return choose("allow_always" if len(questions) == 1 else "reject")(params)

            client.answers[ASK] = answer
            one, two = await client.new(), await client.new()
            await client.prompt(one, "first")
            await client.prompt(two, "second")
            assert questions == [one, two]

    run(scenario())
    assert not (cwd / "b").exists()


def raises(params: dict[str, Any]) -> Any:
    raise Refused({"code": -32603, "message": "the dialog broke"})


@pytest.mark.parametrize(
    "answer",
    [
        raises,
        choose("yes"),
        choose(""),
        lambda params: {"outcome": {"outcome": "cancelled"}},
        lambda params: {"outcome": {"outcome": "selected"}},
        lambda params: {"outcome": "allow"},
        lambda params: {},
        lambda params: None,
        lambda params: "allow",
        lambda params: [{"outcome": {"outcome": "selected", "optionId": "allow"}}],
    ],
)
def test_anything_but_a_clear_yes_is_a_no(
    connect: Any, run: Run, server: FaultServer, cwd: Path, answer: Any
) -> None:
    server.enqueue(touch("a"), text("I was not allowed."))

    async def scenario() -> None:
        async with connect() as client:
            client.answers[ASK] = answer
            session = await client.new()
            assert (await client.prompt(session, "touch"))["stopReason"] == "end_turn"
            assert client.of(session, "tool_call_update")[-1]["status"] == "failed"

    run(scenario())
    assert not (cwd / "a").exists()
    told = server.chat_requests[-1].json["messages"][-1]["content"]
    assert "did NOT run" in told


def test_a_client_that_leaves_with_a_question_open_runs_nothing(
    connect: Any, run: Run, server: FaultServer, cwd: Path
) -> None:
    server.enqueue(touch("a"))

    async def scenario() -> None:
        async with connect() as client:
            asked = asyncio.Event()

            async def never(params: dict[str, Any]) -> Any:
                asked.set()
                await asyncio.Event().wait()

            client.answers[ASK] = never
            client.begin_prompt(await client.new(), "touch")
            await asked.wait()

    run(scenario())
    assert not (cwd / "a").exists()


async def asked_and_cancelled(client: Client) -> tuple[str, dict[str, Any], int]:
    """Have a question open, cancel its turn; return the session, the answer, the question's id."""
    asked = asyncio.Event()

    async def later(params: dict[str, Any]) -> Any:
        asked.set()
        await asyncio.Event().wait()

    client.answers[ASK] = later
    session = await client.new()
    answer = client.begin_prompt(session, "touch it")
    await asked.wait()
    client.tell("session/cancel", sessionId=session)
    [number] = [m["id"] for m in client.heard if m.get("method") == ASK]
    return session, await answer, number


def test_a_late_allow_after_a_cancel_never_runs_anything(
    connect: Any, run: Run, server: FaultServer, cwd: Path
) -> None:
    server.enqueue(touch("a"), text("Hello."))

    async def scenario() -> None:
        async with connect() as client:
            session, answer, number = await asked_and_cancelled(client)
            assert answer["result"]["stopReason"] == "cancelled"
            client.send(id=number, result=choose("allow")({}))
            # What was sent before it has been handled when a later prompt is answered.
            assert (await client.prompt(session, "hello"))["stopReason"] == "end_turn"

    run(scenario())
    assert not (cwd / "a").exists()


def test_an_allow_right_behind_a_cancel_never_runs_anything(
    connect: Any, run: Run, server: FaultServer, cwd: Path
) -> None:
    server.enqueue(touch("a"), text("Hello."))

    async def scenario() -> None:
        async with connect() as client:
            asked = asyncio.Event()

            async def later(params: dict[str, Any]) -> Any:
                asked.set()
                await asyncio.Event().wait()

            client.answers[ASK] = later
            session = await client.new()
            answer = client.begin_prompt(session, "touch it")
            await asked.wait()
            [number] = [m["id"] for m in client.heard if m.get("method") == ASK]
            # Both in one packet: the agent reads them one after the other, at once.
            client.tell("session/cancel", sessionId=session)
            client.send(id=number, result=choose("allow")({}))
            assert (await answer)["result"]["stopReason"] == "cancelled"
            await client.prompt(session, "hello")

    run(scenario())
    assert not (cwd / "a").exists()


def test_the_dialog_of_a_cancelled_question_is_taken_back(
    connect: Any, run: Run, server: FaultServer
) -> None:
    server.enqueue(touch("a"))

    async def scenario() -> None:
        async with connect() as client:
            session, _, number = await asked_and_cancelled(client)
            [taken_back] = [m for m in client.heard if m.get("method") == "$/cancel_request"]
            assert taken_back["params"] == {"requestId": number}
            [ended] = client.of(session, "tool_call_update")
            assert ended["status"] == "failed"

    run(scenario())


@pytest.mark.parametrize(("mode", "made", "asked"), [("yolo", True, 0), ("read-only", False, 0)])
def test_a_mode_may_decide_without_a_question(
    connect: Any, run: Run, server: FaultServer, cwd: Path, mode: str, made: bool, asked: int
) -> None:
    server.enqueue(touch("a"), text("Done."))
    questions: list[Any] = []

    async def scenario() -> None:
        async with connect() as client:
            client.answers[ASK] = lambda params: questions.append(params)
            session = await client.new()
            await client.ask("session/set_mode", sessionId=session, modeId=mode)
            await client.prompt(session, "touch it")

    run(scenario())
    assert (cwd / "a").exists() is made
    assert len(questions) == asked
