"""Sessions: opened, listed, brought back, closed, deleted, and several at a time."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import bare_mcp_server
from acp_client import Refused
from minime_core.testing.fault_server import FaultServer
from minime_core.testing.replies import stall, text, tool_call

Run = Callable[..., Any]


def set_time(folder: Path, session: str, seconds: int) -> None:
    """Make a session look as if it was last changed then."""
    [file] = folder.rglob(f"{session}.jsonl")
    os.utime(file, (seconds, seconds))


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


METHODS: dict[str, dict[str, Any]] = {
    "session/load": {"mcpServers": []},
    "session/resume": {},
    "session/prompt": {"prompt": [{"type": "text", "text": "hi"}]},
    "session/close": {},
    "session/delete": {},
    "session/set_mode": {"modeId": "ask"},
    "session/set_config_option": {"configId": "mode", "value": "ask"},
}


@pytest.mark.parametrize("method", METHODS)
def test_an_unknown_session_is_not_found(connect: Any, run: Run, cwd: Path, method: str) -> None:
    async def scenario() -> None:
        async with connect() as client:
            for session in ("unknown", "../../etc/passwd", "", "x" * 500, "a\0b"):
                with pytest.raises(Refused, match="-32002: there is no session"):
                    await client.ask(method, sessionId=session, cwd=str(cwd), **METHODS[method])

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
            for number, session in enumerate((one, two)):
                set_time(tmp_path, session, 1_700_000_000 + number)
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


def test_a_long_list_comes_in_pages(connect: Any, run: Run, server: FaultServer, cwd: Path) -> None:
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
                set_time(file.parent, name, 1_000_000_000 + number // 7)
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
            with pytest.raises(Refused, match=r"-32602: .*cursor"):
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
    without = {"no_plugins": ["mcp"]}

    async def scenario() -> None:
        async with connect(**without) as client:
            with pytest.raises(Refused, match=r"-32602: .*db, web.*mcpServers: ignore"):
                await client.ask("session/new", cwd=str(cwd), mcpServers=servers)
        async with connect(config_file=config, **without) as client:
            await client.ask("session/new", cwd=str(cwd), mcpServers=servers)

    run(scenario())
    assert "ignored" in capfd.readouterr().err


def test_mcp_servers_of_an_editor_give_the_tools_that_the_user_enabled(
    connect: Any, run: Run, server: FaultServer, cwd: Path, tmp_path: Path
) -> None:
    environment = [{"name": "PRICE", "value": "$5"}]
    command = {"command": sys.executable, "args": [bare_mcp_server.__file__, "", str(tmp_path)]}
    asked = {"name": "myDb", **command, "env": environment}
    server.enqueue(tool_call("myDb__look", {"what": "it"}), text("Seen."))

    async def scenario() -> str:
        async with connect() as client:
            told = client.agent["agentCapabilities"]["mcpCapabilities"]
            assert (told["http"], told["sse"]) == (True, False)
            first = await client.ask("session/new", cwd=str(cwd), mcpServers=[asked])
            await client.prompt(first["sessionId"], "/mcp enable myDb look")
            session = await client.ask("session/new", cwd=str(cwd), mcpServers=[asked])
            client.answers["session/request_permission"] = lambda _: {
                "outcome": {"outcome": "selected", "optionId": "allow"}
            }
            await client.prompt(session["sessionId"], "look")
            done = client.of(session["sessionId"], "tool_call_update")[-1]
            output: str = done["rawOutput"]["output"]
            return output

    assert run(scenario()).startswith("[myDb__look: from an MCP server;")


def test_a_session_whose_server_is_down_says_so(
    connect: Any, run: Run, server: FaultServer
) -> None:
    server.stop()

    async def scenario() -> None:
        async with connect(model="") as client:
            with pytest.raises(Refused, match=r"-32603: .*llama-server"):
                await client.new()

    run(scenario())
