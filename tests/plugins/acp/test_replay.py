"""Stored sessions, brought back: what is shown again, and what the model knows."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from acp_client import Client, choose
from minime_core.testing.fault_server import FaultServer
from minime_core.testing.replies import stall, text, thinking, tool_call

Run = Callable[..., Any]
SAID = ("user_message_chunk", "agent_thought_chunk", "agent_message_chunk")


def words(client: Client, session: str, *kinds: str) -> list[tuple[str, str]]:
    """Return what was said, pieces of the same kind joined."""
    found: list[tuple[str, str]] = []
    for update in client.of(session, *(kinds or SAID)):
        kind, piece = update["sessionUpdate"], update["content"]["text"]
        if found and found[-1][0] == kind:
            piece = found.pop()[1] + piece
        found.append((kind, piece))
    return found


async def told(client: Client, server: FaultServer, cwd: Path) -> str:
    """Have a conversation with all that can be replayed."""
    (cwd / "a.txt").write_text("one\n")
    client.answers["session/request_permission"] = choose("allow")
    edit = {"path": "a.txt", "edits": [{"old": "one", "new": "two"}]}
    server.enqueue(
        thinking("I should look.") + text("I look.") + tool_call("read_file", {"path": "a.txt"}),
        tool_call("edit_file", edit),
        tool_call("bash", {"command": "exit 3"}),
        text("It is two now."),
    )
    session = await client.new()
    await client.prompt(session, "make it two")
    return session


def shown(client: Client, session: str) -> list[dict[str, Any]]:
    """Return what a client shows of each call in the end."""
    calls: dict[str, dict[str, Any]] = {}
    for update in client.of(session, "tool_call", "tool_call_update"):
        calls.setdefault(update["toolCallId"], {}).update(update)
    return [*calls.values()]


def test_a_loaded_session_is_shown_as_it_was(
    connect: Any, run: Run, server: FaultServer, cwd: Path
) -> None:
    async def scenario() -> None:
        async with connect() as client:
            session = await told(client, server, cwd)
            before, calls = words(client, session), shown(client, session)
            usage = client.of(session, "usage_update")[-1]
        async with connect() as client:
            loading = client.begin("session/load", sessionId=session, cwd=str(cwd), mcpServers=[])
            answer = (await loading)["result"]
            # All of it came before the answer did.
            assert words(client, session) == [("user_message_chunk", "make it two"), *before]
            assert shown(client, session) == calls
            assert client.of(session, "usage_update") == [usage]
            assert answer["modes"]["currentModeId"] == "ask"
            assert answer["configOptions"]
            server.enqueue(text("Two."))
            await client.prompt(session, "what is it?")

    run(scenario())
    sent = server.chat_requests[-1].json["messages"]
    assert [m["content"] for m in sent if m["role"] == "user"] == ["make it two", "what is it?"]
    # Thoughts are shown again, and never sent.
    assert "I should look." not in str(sent)


def test_a_resumed_session_is_not_shown_but_known(
    connect: Any, run: Run, server: FaultServer, cwd: Path
) -> None:
    async def scenario() -> None:
        async with connect() as client:
            session = await told(client, server, cwd)
        async with connect() as client:
            await client.ask("session/resume", sessionId=session, cwd=str(cwd))
            assert client.of(session) == []
            server.enqueue(text("Two."))
            await client.prompt(session, "what is it?")

    run(scenario())
    sent = server.chat_requests[-1].json["messages"]
    assert [m["content"] for m in sent if m["role"] == "user"] == ["make it two", "what is it?"]


def test_the_requests_of_a_resumed_session_go_on_byte_for_byte(
    connect: Any, run: Run, server: FaultServer, cwd: Path
) -> None:
    async def scenario() -> None:
        async with connect() as client:
            session = await told(client, server, cwd)
        async with connect() as client:
            await client.ask("session/resume", sessionId=session, cwd=str(cwd))
            server.enqueue(text("Two."))
            await client.prompt(session, "what is it?")

    run(scenario())
    *_, before, after = [request.json["messages"] for request in server.chat_requests]
    assert after[: len(before)] == before


def test_a_question_that_was_cancelled_is_not_shown_again(
    connect: Any, run: Run, server: FaultServer, cwd: Path
) -> None:
    server.enqueue(text("Yes. "), text("Once upon ") + stall())

    async def scenario() -> None:
        async with connect() as client:
            session = await client.new()
            await client.prompt(session, "is it?")
            answer = client.begin_prompt(session, "a story")
            await client.until(lambda: "Once" in client.text(session))
            client.tell("session/cancel", sessionId=session)
            await answer
        async with connect() as client:
            await client.ask("session/load", sessionId=session, cwd=str(cwd), mcpServers=[])
            assert words(client, session) == [
                ("user_message_chunk", "is it?"),
                ("agent_message_chunk", "Yes. "),
            ]

    run(scenario())


def test_a_call_without_a_result_is_not_shown_as_open(
    connect: Any, run: Run, server: FaultServer, cwd: Path
) -> None:
    async def scenario() -> None:
        async with connect() as client:
            session = await told(client, server, cwd)
        [file] = (cwd / ".mm/sessions").glob("*.jsonl")
        lines = file.read_bytes().splitlines(keepends=True)
        # As if the machine had lost power while the first call ran.
        first = next(n for n, line in enumerate(lines) if b"read_file" in line)
        file.write_bytes(b"".join(lines[: first + 1]))
        async with connect() as client:
            await client.ask("session/load", sessionId=session, cwd=str(cwd), mcpServers=[])
            [call] = shown(client, session)
            assert call["status"] == "failed"

    run(scenario())


def test_what_somebody_wrote_into_a_file_does_no_harm(
    connect: Any, run: Run, server: FaultServer, cwd: Path
) -> None:
    async def scenario() -> None:
        async with connect() as client:
            session = await told(client, server, cwd)
        [file] = (cwd / ".mm/sessions").glob("*.jsonl")
        with file.open("a") as lines:
            for event in ({"type": "tool_done"}, {"type": "tool_done", "seconds": "x"}, {}):
                lines.write(json.dumps({"kind": "display", "event": event}) + "\n")
        async with connect() as client:
            await client.ask("session/load", sessionId=session, cwd=str(cwd), mcpServers=[])
            assert len(shown(client, session)) == 3

    run(scenario())
