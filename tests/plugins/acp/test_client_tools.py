"""Tools that the client offers and runs itself."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from acp_client import Refused, choose
from minime_core.testing.fault_server import FaultServer
from minime_core.testing.replies import text, tool_call

Run = Callable[..., Any]
KEY = "org.mini-me/tools"
ASK = "session/request_permission"
ADD = {
    "name": "add_todo",
    "description": "Add something to the list.",
    "method": "_my/add",
    "inputSchema": {
        "type": "object",
        "properties": {"text": {"type": "string"}},
        "required": ["text"],
    },
}


def offering(tools: Any) -> dict[str, Any]:
    return {"_meta": {KEY: tools}}


def answered(words: str, **more: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": words}], **more}


def offered_names(server: FaultServer) -> list[str]:
    """Return the client's tools in the last request to the model."""
    tools = server.chat_requests[-1].json["tools"]
    names = [tool["function"]["name"] for tool in tools]
    return [name for name in names if name.startswith("client_")]


@pytest.mark.parametrize("offered", [[ADD], {"tools": [ADD]}, True])
def test_a_tool_is_offered_to_the_model_and_called(
    connect: Any, run: Run, server: FaultServer, offered: Any
) -> None:
    server.enqueue(tool_call("client_add_todo", {"text": "milk"}), text("Added."))
    calls: list[Any] = []

    async def scenario() -> None:
        async with connect(offering(offered)) as client:
            lists: list[Any] = []

            def listed(params: dict[str, Any]) -> Any:
                lists.append(params)
                return {"tools": [ADD]}

            def add(params: dict[str, Any]) -> Any:
                calls.append(params)
                return answered("added milk")

            client.answers = {f"_{KEY}/list": listed, "_my/add": add, ASK: choose("allow")}
            session = await client.new()
            assert lists == ([{"sessionId": session}] if offered is True else [])
            await client.prompt(session, "add milk")
            [begun] = client.of(session, "tool_call")
            assert (begun["title"], begun["kind"]) == ("client: add_todo", "other")
            assert client.of(session, "tool_call_update")[-1]["rawOutput"]["output"] == "added milk"
            assert calls == [
                {
                    "sessionId": session,
                    "toolCallId": begun["toolCallId"],
                    "arguments": {"text": "milk"},
                }
            ]

    run(scenario())
    assert offered_names(server) == ["client_add_todo"]
    [described] = [
        tool["function"]
        for tool in server.chat_requests[0].json["tools"]
        if tool["function"]["name"] == "client_add_todo"
    ]
    assert described["description"] == "Add something to the list."
    assert described["parameters"]["required"] == ["text"]


def test_a_client_tool_needs_permission_like_any_other(
    connect: Any, run: Run, server: FaultServer
) -> None:
    server.enqueue(tool_call("client_add_todo", {"text": "milk"}), text("Not added."))

    async def scenario() -> None:
        async with connect(offering([ADD])) as client:
            titles: list[str] = []

            def reject(params: dict[str, Any]) -> Any:
                titles.append(params["toolCall"]["title"])
                return choose("reject")(params)

            client.answers[ASK] = reject
            await client.prompt(await client.new(), "add milk")
            assert titles == ["client: add_todo"]
            assert "_my/add" not in {message.get("method") for message in client.heard}

    run(scenario())


def fails(params: dict[str, Any]) -> Any:
    raise Refused({"code": -32000, "message": "the list is full"})


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (fails, "failed: the list is full"),
        (lambda params: answered("no such list", isError=True), "no such list"),
        (lambda params: {"isError": True, "content": []}, "failed, no output"),
        (lambda params: {}, "has no content"),
        (lambda params: None, "has no content"),
        (lambda params: "added", "has no content"),
        (lambda params: {"content": "added"}, "has no content"),
    ],
)
def test_what_goes_wrong_comes_back_as_a_failed_call(
    connect: Any, run: Run, server: FaultServer, answer: Any, words: str
) -> None:
    server.enqueue(tool_call("client_add_todo", {"text": "milk"}), text("Sorry."))

    async def scenario() -> None:
        async with connect(offering([ADD]), policy="yolo") as client:
            client.answers["_my/add"] = answer
            session = await client.new()
            assert (await client.prompt(session, "add milk"))["stopReason"] == "end_turn"
            assert client.of(session, "tool_call_update")[-1]["status"] == "failed"

    run(scenario())
    assert words in server.chat_requests[-1].json["messages"][-1]["content"]


def test_only_text_is_taken_of_an_answer(connect: Any, run: Run, server: FaultServer) -> None:
    server.enqueue(tool_call("client_add_todo", {"text": "milk"}), text("Added."))
    content = [{"type": "text", "text": "one"}, {"type": "image", "data": ""}, 7]
    content.append({"type": "text", "text": "two\0"})

    async def scenario() -> None:
        async with connect(offering([ADD]), policy="yolo") as client:
            client.answers["_my/add"] = lambda params: {"content": content}
            await client.prompt(await client.new(), "add milk")

    run(scenario())
    told = server.chat_requests[-1].json["messages"][-1]["content"]
    assert told.startswith("one\ntwo")
    assert "\0" not in told


def tool(**changes: Any) -> dict[str, Any]:
    return {**ADD, **changes}


@pytest.mark.parametrize(
    "offered",
    [
        [tool(name="a b")],
        [tool(name="")],
        [tool(name="x" * 58)],
        [tool(name=None)],
        [tool(method="session/cancel")],
        [tool(method=None)],
        [tool(inputSchema={"type": "array"})],
        [tool(inputSchema={"type": "object", "properties": {"a": {"type": "colour"}}})],
        [tool(inputSchema=[1])],
        [7, None, "add", []],
        "add_todo",
        {"tools": "add_todo"},
        {},
        False,
        0,
    ],
)
def test_what_is_no_tool_is_left_out(
    connect: Any, run: Run, server: FaultServer, offered: Any
) -> None:
    server.respond = text("Yes.")

    async def scenario() -> None:
        async with connect(offering(offered)) as client:
            await client.prompt(await client.new(), "hi")

    run(scenario())
    assert offered_names(server) == []


def test_of_two_tools_of_one_name_the_first_is_taken(
    connect: Any, run: Run, server: FaultServer, capfd: pytest.CaptureFixture[str]
) -> None:
    server.respond = text("Yes.")

    async def scenario() -> None:
        async with connect(offering([ADD, tool(method="_my/other")])) as client:
            await client.prompt(await client.new(), "hi")

    run(scenario())
    assert offered_names(server) == ["client_add_todo"]
    assert "a second tool of the client is named add_todo" in capfd.readouterr().err


def test_a_client_that_does_not_list_its_tools_has_none(
    connect: Any, run: Run, server: FaultServer, capfd: pytest.CaptureFixture[str]
) -> None:
    server.respond = text("Yes.")

    async def scenario() -> None:
        async with connect(offering(True)) as client:
            await client.prompt(await client.new(), "hi")

    run(scenario())
    assert offered_names(server) == []
    assert "does not list its tools" in capfd.readouterr().err


def test_a_client_that_never_lists_its_tools_holds_nothing_up(
    connect: Any, run: Run, server: FaultServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.respond = text("Yes.")
    monkeypatch.setattr("minime_acp.client.LIST_TIMEOUT", 0.05)

    async def scenario() -> None:
        async with connect(offering(True)) as client:
            client.answers[f"_{KEY}/list"] = lambda params: asyncio.Event().wait()
            await client.prompt(await client.new(), "hi")

    run(scenario())
    assert offered_names(server) == []


def test_the_setting_takes_no_tools(
    connect: Any, run: Run, server: FaultServer, tmp_path: Path
) -> None:
    server.respond = text("Yes.")
    config = tmp_path / "c.yaml"
    config.write_text("acp: {clientTools: {enabled: false}}\n")

    async def scenario() -> None:
        async with connect(offering([ADD]), config_file=config) as client:
            await client.prompt(await client.new(), "hi")

    run(scenario())
    assert offered_names(server) == []


def test_calls_of_several_sessions_run_side_by_side(
    connect: Any, run: Run, server: FaultServer
) -> None:
    call = tool_call("client_add_todo", {"text": "milk"})

    def respond(request: Any) -> Any:
        return call if request.json["messages"][-1]["role"] == "user" else text("Added.")

    server.respond = respond

    async def scenario() -> None:
        async with connect(offering([ADD]), policy="yolo") as client:
            meeting = asyncio.Barrier(2)

            async def add(params: dict[str, Any]) -> Any:
                await meeting.wait()
                return answered("met")

            client.answers["_my/add"] = add
            sessions = [await client.new(), await client.new()]
            await asyncio.gather(*(client.prompt(session, "add") for session in sessions))

    run(scenario())


def test_a_cancelled_call_is_abandoned_and_its_late_answer_dropped(
    connect: Any, run: Run, server: FaultServer
) -> None:
    server.enqueue(tool_call("client_add_todo", {"text": "milk"}), text("Hello."))

    async def scenario() -> None:
        async with connect(offering([ADD]), policy="yolo") as client:
            begun = asyncio.Event()

            async def add(params: dict[str, Any]) -> Any:
                begun.set()
                await asyncio.Event().wait()

            client.answers["_my/add"] = add
            session = await client.new()
            answer = client.begin_prompt(session, "add milk")
            await begun.wait()
            client.tell("session/cancel", sessionId=session)
            assert (await answer)["result"]["stopReason"] == "cancelled"
            [number] = [m["id"] for m in client.heard if m.get("method") == "_my/add"]
            client.send(id=number, result=answered("added milk"))
            await client.prompt(session, "hi")

    run(scenario())
    messages = server.chat_requests[-1].json["messages"]
    assert [m["content"] for m in messages if m["role"] != "system"] == ["hi"]


def test_a_client_that_leaves_during_a_call_ends_the_turn(
    connect: Any, run: Run, server: FaultServer
) -> None:
    server.enqueue(tool_call("client_add_todo", {"text": "milk"}))

    async def scenario() -> None:
        async with connect(offering([ADD]), policy="yolo") as client:
            begun = asyncio.Event()

            async def add(params: dict[str, Any]) -> Any:
                begun.set()
                await asyncio.Event().wait()

            client.answers["_my/add"] = add
            client.begin_prompt(await client.new(), "add milk")
            await begun.wait()

    run(scenario())
