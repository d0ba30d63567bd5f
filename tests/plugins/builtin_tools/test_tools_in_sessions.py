"""The tools in real sessions, whose model follows a script."""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

import minime_builtin_tools
from minime_builtin_tools.undo import undo_last_turn
from minime_core import hookimpl
from minime_core.assembly import Options, open_session
from minime_core.config import Config, Layer
from minime_core.events import Event, MessageDone, ModelEvent, Notice, ToolDone, ToolStarted
from minime_core.messages import Message, ToolCall
from minime_core.models import ModelInfo, ModelRef, ModelRequest, ProviderSpec
from minime_core.permission import Answer, Question
from minime_core.plugins import PluginHost
from minime_core.records import MessageRecord
from minime_core.session import Session


class Script:
    """A model that makes these calls, one after the other, and then answers."""

    name = "script"

    def __init__(self) -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        if self.calls:
            name, arguments = self.calls.pop(0)
            message = Message(role="assistant", calls=(ToolCall(name=name, arguments=arguments),))
        else:
            message = Message(role="assistant", text="Done.")
        yield MessageDone(message=message)

    async def info(self) -> ModelInfo:
        return ModelInfo(model="m")

    async def count_tokens(self, text: str) -> int | None:
        return None

    async def is_up(self) -> bool:
        return True

    async def aclose(self) -> None:
        pass

    @hookimpl
    def mm_register_providers(self) -> list[ProviderSpec]:
        return [ProviderSpec(name="script", summary="", make=lambda config, ref: self)]

    @hookimpl
    def mm_resolve_model(self, config: Config) -> ModelRef:
        return ModelRef(provider="script", model="m")


class Talk:
    """A session in `folder`, with all calls permitted."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.model = Script()
        self._host = PluginHost()
        self._host.register(minime_builtin_tools, "builtin_tools")
        self._host.register(self.model, "script")
        for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
            monkeypatch.setenv(name, str(folder.parent / "home"))

    async def open(self, **settings: Any) -> Session:
        config = Config([Layer("test", {"policy": "yolo", **settings})], ["builtin_tools"])
        options = Options(cwd=self.folder, flags={}, is_stored=False)
        return await open_session(options, self._host, config)

    async def ask(
        self, session: Session, question: str, *calls: tuple[str, dict[str, Any]]
    ) -> list[Event]:
        self.model.calls = [*calls]
        async with session.run(question) as events, aclosing(events):
            return [event async for event in events]


@pytest.fixture
def talk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Talk:
    folder = tmp_path / "project"
    folder.mkdir()
    return Talk(folder, monkeypatch)


def tree(folder: Path) -> dict[str, tuple[bytes | None, int]]:
    """Return all that is below `folder`: content and mode by path."""
    return {
        str(path.relative_to(folder)): (
            path.read_bytes() if path.is_file() else None,
            stat.S_IMODE(path.stat().st_mode),
        )
        for path in folder.rglob("*")
    }


def test_undo_takes_back_what_the_file_tools_did_and_names_the_commands(talk: Talk) -> None:
    (talk.folder / "a.py").write_bytes(b"\xef\xbb\xbfa = 1\r\n")
    (talk.folder / "a.py").chmod(0o640)
    (talk.folder / "b.txt").write_text("b\n")
    before = tree(talk.folder)

    async def run() -> list[str]:
        session = await talk.open()
        await talk.ask(
            session,
            "Change everything.",
            ("edit_file", {"path": "a.py", "edits": [{"old": "a = 1", "new": "a = 2"}]}),
            ("write_file", {"path": "b.txt", "content": "replaced\n"}),
            ("write_file", {"path": "b.txt", "content": "more\n", "append": True}),
            ("write_file", {"path": "new/deep/c.txt", "content": "c\n"}),
            ("edit_file", {"path": "new/deep/c.txt", "edits": [{"old": "c", "new": "d"}]}),
            ("bash", {"command": "cat a.py"}),
        )
        assert tree(talk.folder) != before
        lines = undo_last_turn(session)
        assert [message.role for message in session.history.view()][1:] == []
        await session.aclose()
        return lines

    folder = os.path.realpath(talk.folder)
    assert asyncio.run(run()) == [
        f"deleted {folder}/new/deep/c.txt, which was new",
        f"restored {folder}/b.txt",
        f"restored {folder}/a.py",
        "what commands changed is not known and stays: cat a.py",
        "the model will not hear again of: Change everything.",
    ]
    assert tree(talk.folder) == before


def test_edits_that_come_as_text_reach_the_tool(talk: Talk) -> None:
    (talk.folder / "a.py").write_text("a = 1\n")
    edits = '[{"old": "a = 1", "new": "a = 2"}]'

    async def run() -> list[Event]:
        session = await talk.open()
        call = ("edit_file", {"path": "a.py", "edits": edits})
        events = await talk.ask(session, "Change it.", call)
        await session.aclose()
        return events

    events = asyncio.run(run())
    (done,) = [event for event in events if isinstance(event, ToolDone)]
    (started,) = [event for event in events if isinstance(event, ToolStarted)]
    assert done.ok
    assert done.text.endswith("[edit_file: `edits` came as text; send a list]")
    assert started.title == "edit_file: a.py"
    assert (talk.folder / "a.py").read_text() == "a = 2\n"


def test_the_user_sees_the_change_in_the_question(talk: Talk) -> None:
    (talk.folder / "a.py").write_text("a = 1\n")
    asked: list[Question] = []

    async def ask(question: Question) -> Answer:
        asked.append(question)
        return Answer(choice="no")

    async def run() -> None:
        session = await talk.open(policy="ask")
        session.ask = ask
        call = ("edit_file", {"path": "a.py", "edits": [{"old": "1", "new": "2"}]})
        await talk.ask(session, "Change it.", call)
        await session.aclose()

    asyncio.run(run())
    assert asked[0].diff is not None
    assert (asked[0].diff.old, asked[0].diff.new) == ("a = 1\n", "a = 2\n")
    assert (talk.folder / "a.py").read_text() == "a = 1\n"


def test_stopping_a_turn_ends_the_command_and_keeps_the_record(talk: Talk) -> None:
    os.mkfifo(talk.folder / "pid")

    async def run() -> tuple[int, list[str]]:
        session = await talk.open()
        command = "echo $$ > pid; tail -f /dev/null"
        turn = asyncio.ensure_future(talk.ask(session, "Wait.", ("bash", {"command": command})))
        pid = int(await asyncio.to_thread((talk.folder / "pid").read_text))
        turn.cancel()
        await asyncio.wait([turn])
        kept = [
            call.name
            for record in session.history.records
            if isinstance(record, MessageRecord)
            for call in record.message.calls
        ]
        assert [message.role for message in session.history.view()][1:] == []
        await session.aclose()
        return pid, kept

    pid, kept = asyncio.run(run())
    assert kept == ["bash"]
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_the_end_of_a_session_ends_jobs_and_names_those_that_stay(talk: Talk) -> None:
    async def run() -> list[str]:
        session = await talk.open()
        await talk.ask(
            session,
            "Serve.",
            ("bash", {"command": "tail -f /dev/null & echo $! > ended"}),
            ("bash", {"command": "nohup tail -f /dev/null > log 2>&1 & echo $! > stays"}),
        )
        await session.aclose()
        return [event.text for event in session.take_pending() if isinstance(event, Notice)]

    said = asyncio.run(run())
    stays = int((talk.folder / "stays").read_text())
    os.kill(stays, 9)
    assert [text.startswith(f"left running: {stays} (") for text in said] == [True]
    stat_file = Path("/proc", (talk.folder / "ended").read_text().strip(), "stat")
    assert not stat_file.exists() or stat_file.read_text().rpartition(")")[2].split()[0] == "Z"


def test_a_session_without_commands_has_nothing_to_end(talk: Talk) -> None:
    async def run() -> list[Event]:
        session = await talk.open()
        await talk.ask(session, "Hello.")
        await session.aclose()
        return [*session.take_pending()]

    assert asyncio.run(run()) == []
