"""Sessions: opened, listed, brought back, closed, deleted, and several at a time."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from acp_client import Client, Refused, choose
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


@pytest.mark.parametrize(
    ("cwd", "why"),
    [
        ("project", "absolute"),
        ("", "absolute"),
        ("/no/such/folder", "not a folder"),
        ("/etc/passwd", "not a folder"),
        ("/tmp\0x", "absolute"),
        (None, "cwd"),
        (7, "cwd"),
    ],
)
def test_a_folder_that_cannot_be_worked_in_is_refused(
    connect: Any, run: Run, cwd: Any, why: str
) -> None:
    async def scenario() -> None:
        async with connect() as client:
            for method in ("session/new", "session/load", "session/resume"):
                with pytest.raises(Refused, match=f"-32602: .*{why}"):
                    await client.ask(method, cwd=cwd, mcpServers=[], sessionId="x")

    run(scenario())


def test_sessions_of_one_process_have_folders_of_their_own(
    connect: Any, run: Run, server: FaultServer, tmp_path: Path
) -> None:
    folders = [tmp_path / name for name in ("one", "two")]
    for folder in folders:
        folder.mkdir()
    here = os.getcwd()
    server.enqueue(*[tool_call("bash", {"command": "pwd"}), text("So.")] * 2)

    async def scenario() -> None:
        async with connect(policy="yolo") as client:
            for folder in folders:
                session = await client.new(folder)
                await client.prompt(session, "where?")
                done = client.of(session, "tool_call_update")[-1]
                assert done["rawOutput"]["output"].startswith(f"{folder}\n")
            assert os.getcwd() == here

    run(scenario())


def test_sessions_answer_side_by_side(connect: Any, run: Run, server: FaultServer) -> None:
    server.enqueue(text("one ") + stall(), text("two"))

    async def scenario() -> None:
        async with connect() as client:
            one, two = await client.new(), await client.new()
            first = client.begin_prompt(one, "first")
            await client.until(lambda: client.text(one))
            assert (await client.prompt(two, "second"))["stopReason"] == "end_turn"
            assert not first.done()
            assert (client.text(one), client.text(two)) == ("one ", "two")

    run(scenario())
    sent = [m["content"] for m in server.chat_requests[-1].json["messages"]]
    assert sent[1:] == ["second"]


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


def test_an_open_session_can_be_loaded_again(
    connect: Any, run: Run, server: FaultServer, cwd: Path
) -> None:
    server.enqueue(text("Yes."), text("Still."))

    async def scenario() -> None:
        async with connect() as client:
            session = await client.new()
            await client.prompt(session, "is it?")
            await client.ask("session/load", sessionId=session, cwd=str(cwd), mcpServers=[])
            assert (await client.prompt(session, "still?"))["stopReason"] == "end_turn"

    run(scenario())


@pytest.mark.parametrize("session", ["unknown", "../../etc/passwd", "", "x" * 500, "a\0b"])
@pytest.mark.parametrize(
    "method",
    [
        "session/load",
        "session/resume",
        "session/prompt",
        "session/close",
        "session/delete",
        "session/set_mode",
        "session/set_config_option",
    ],
)
def test_an_unknown_session_is_not_found(
    connect: Any, run: Run, cwd: Path, method: str, session: str
) -> None:
    params = {
        "session/prompt": {"prompt": [{"type": "text", "text": "hi"}]},
        "session/set_mode": {"modeId": "ask"},
        "session/set_config_option": {"configId": "mode", "value": "ask"},
    }.get(method, {"cwd": str(cwd), "mcpServers": []})

    async def scenario() -> None:
        async with connect() as client:
            with pytest.raises(Refused) as caught:
                await client.ask(method, sessionId=session, **params)
            assert caught.value.code == -32002

    run(scenario())


def test_sessions_are_listed_the_newest_first_and_by_folder(
    connect: Any, run: Run, server: FaultServer, cwd: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    server.respond = text("Yes.")

    async def scenario() -> None:
        async with connect() as client:
            one, two = await client.new(), await client.new(other)
            await client.new()  # without a question it is no session
            await client.prompt(one, "the first\nquestion")
            await client.prompt(two, "the second")
            for number, (folder, session) in enumerate(((cwd, one), (other, two))):
                file = next(tmp_path.rglob(f"{session}.jsonl"))
                os.utime(file, (1_700_000_000 + number, 1_700_000_000 + number))
            listed = (await client.ask("session/list"))["sessions"]
            assert listed == [
                {
                    "sessionId": two,
                    "cwd": str(other),
                    "title": "the second",
                    "updatedAt": "2023-11-14T22:13:21+00:00",
                },
                {
                    "sessionId": one,
                    "cwd": str(cwd),
                    "title": "the first question",
                    "updatedAt": "2023-11-14T22:13:20+00:00",
                },
            ]
            of_folder = await client.ask("session/list", cwd=str(cwd))
            assert [s["sessionId"] for s in of_folder["sessions"]] == [one]
            assert "nextCursor" not in of_folder

    run(scenario())


def test_a_long_list_comes_in_pages(
    connect: Any, run: Run, server: FaultServer, cwd: Path
) -> None:
    server.respond = text("Yes.")

    async def scenario() -> None:
        async with connect() as client:
            session = await client.new()
            await client.prompt(session, "hi")
            [file] = (cwd / ".mm/sessions").glob("*.jsonl")
            names = [session, *(f"copy-{number}" for number in range(119))]
            for name in names[1:]:
                (file.parent / f"{name}.jsonl").write_bytes(file.read_bytes())
            for number, name in enumerate(names):
                # Several have the same time.
                os.utime(file.parent / f"{name}.jsonl", (1e9 + number // 7,) * 2)
            found: list[str] = []
            cursor: dict[str, str] = {}
            sizes = []
            while True:
                page = await client.ask("session/list", cwd=str(cwd), **cursor)
                sizes.append(len(page["sessions"]))
                found += [s["sessionId"] for s in page["sessions"]]
                if "nextCursor" not in page:
                    break
                cursor = {"cursor": page["nextCursor"]}
                # What is deleted meanwhile moves nothing else.
                (file.parent / f"{found[0]}.jsonl").unlink(missing_ok=True)
            assert sizes == [50, 50, 20]
            assert sorted(found) == sorted(names)
            with pytest.raises(Refused, match="-32602: .*cursor"):
                await client.ask("session/list", cursor="page two")

    run(scenario())


def test_files_that_are_no_sessions_are_not_listed(connect: Any, run: Run, cwd: Path) -> None:
    folder = cwd / ".mm/sessions"
    folder.mkdir()
    (folder / "empty.jsonl").touch()
    (folder / "noise.jsonl").write_bytes(b"\xff\0\n{}\n")
    (folder / "list.jsonl").write_text("[]\n[]\n")
    (folder / "folder.jsonl").mkdir()

    async def scenario() -> None:
        async with connect() as client:
            assert (await client.ask("session/list", cwd=str(cwd)))["sessions"] == []
            for name in ("empty", "noise", "list", "folder"):
                with pytest.raises(Refused):
                    await client.ask("session/load", sessionId=name, cwd=str(cwd), mcpServers=[])

    run(scenario())


def test_a_closed_session_is_free_and_can_come_back(
    connect: Any, run: Run, server: FaultServer, cwd: Path
) -> None:
    server.respond = text("Yes.")

    async def scenario() -> None:
        async with connect() as client:
            session = await client.new()
            await client.prompt(session, "hi")
            await client.ask("session/close", sessionId=session)
            with pytest.raises(Refused, match="-32002"):
                await client.prompt(session, "hi")
            await client.ask("session/resume", sessionId=session, cwd=str(cwd))
            await client.prompt(session, "hi")

    run(scenario())


@pytest.mark.parametrize("is_open", [True, False])
def test_a_deleted_session_is_gone(
    connect: Any, run: Run, server: FaultServer, cwd: Path, is_open: bool
) -> None:
    server.respond = text("Yes.")

    async def scenario() -> None:
        async with connect() as client:
            session = await client.new()
            await client.prompt(session, "hi")
            if not is_open:
                await client.ask("session/close", sessionId=session)
            assert await client.ask("session/delete", sessionId=session) == {}
            assert (await client.ask("session/list"))["sessions"] == []
            with pytest.raises(Refused, match="-32002"):
                await client.ask("session/load", sessionId=session, cwd=str(cwd), mcpServers=[])

    run(scenario())
    assert not [*(cwd / ".mm/sessions").iterdir()]


def test_loading_twice_at_once_leaves_one_open_session(
    connect: Any, run: Run, server: FaultServer, cwd: Path
) -> None:
    server.respond = text("Yes.")

    async def scenario() -> None:
        async with connect() as client:
            session = await client.new()
            await client.prompt(session, "hi")
            params = {"sessionId": session, "cwd": str(cwd), "mcpServers": []}
            answers = await asyncio.gather(*(client.begin("session/load", **params) for _ in "ab"))
            assert all("result" in answer for answer in answers)
            await client.prompt(session, "hi")

    run(scenario())


def test_mcp_servers_are_refused_with_the_cure(
    connect: Any, run: Run, cwd: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    servers = [
        {"name": "db", "command": "/bin/db", "args": [], "env": []},
        {"name": "web", "type": "http", "url": "https://x.example/mcp", "headers": []},
    ]
    config = tmp_path / "c.yaml"
    config.write_text("acp: {mcpServers: ignore}\n")

    async def scenario() -> None:
        async with connect() as client:
            with pytest.raises(Refused, match=r"-32602: .*db, web.*mcpServers: ignore"):
                await client.ask("session/new", cwd=str(cwd), mcpServers=servers)
        async with connect(config_file=config) as client:
            await client.ask("session/new", cwd=str(cwd), mcpServers=servers)

    run(scenario())
    assert "ignored" in capfd.readouterr().err


def test_a_session_whose_server_is_down_says_so(
    connect: Any, run: Run, server: FaultServer
) -> None:
    server.stop()

    async def scenario() -> None:
        async with connect(model="") as client:
            with pytest.raises(Refused, match=r"-32603: .*llama-server"):
                await client.new()

    run(scenario())
