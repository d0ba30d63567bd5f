"""Undoing the last question: real files, and what the model sees afterwards."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import AsyncGenerator, Callable
from pathlib import Path

import pytest

from minime_builtin_tools.undo import undo_last_turn
from minime_core.config import Config
from minime_core.events import ModelEvent
from minime_core.history import History
from minime_core.messages import Message, ToolCall
from minime_core.models import ModelInfo, ModelRef, ModelRequest
from minime_core.plugins import PluginHost
from minime_core.profiles import Profile
from minime_core.records import Edit, Meta, Rewrite, Undo
from minime_core.session import Session
from minime_core.store import SessionFile, header
from minime_core.tools import Arguments, Tool, ToolContext, ToolResult
from minime_core.turn import Turn


async def nothing(arguments: Arguments, context: ToolContext) -> ToolResult:
    return ToolResult(text="ok")


RUN = Tool(
    name="run",
    description="Run a command.",
    schema={"type": "object", "required": ["command"]},
    run=nothing,
    effects=frozenset({"execute"}),
    subject=lambda arguments: str(arguments["command"]),
)


class Idle:
    """A provider that nobody asks anything."""

    name = "idle"

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        raise AssertionError
        yield

    async def info(self) -> ModelInfo:
        return ModelInfo(model="m")

    async def count_tokens(self, text: str) -> int | None:
        return None

    async def is_up(self) -> bool:
        return True

    async def aclose(self) -> None:
        pass


def session_of(history: History, cwd: Path) -> Session:
    return Session(
        host=PluginHost(),
        config=Config([]),
        ref=ModelRef(provider="idle"),
        info=ModelInfo(model="m"),
        provider=Idle(),
        profile=Profile("default", ()),
        history=history,
        tools=[RUN],
        formats=[],
        cwd=cwd,
        file=SessionFile(cwd / "unwritten.jsonl"),
    )


class Talk:
    """A conversation, told record by record."""

    def __init__(self, cwd: Path, history: History | None = None) -> None:
        self.cwd = cwd
        self.history = history or History([Meta(values={"system": "Be brief."})])

    def ask(self, question: str) -> int:
        return self.history.add_question(question)

    def answer(self, text: str = "Done.") -> None:
        self.history.add_answer(Message(role="assistant", text=text))

    def command(self, command: str) -> None:
        call = ToolCall(id=self.history.new_call_id(), name="run", arguments={"command": command})
        self.history.add_answer(Message(role="assistant", calls=(call,)))
        self.history.add_result(call, "ok")

    def write(self, name: str, content: str, *, fails: bool = False) -> None:
        """Write as a tool does: what was there is recorded first."""
        path = self.cwd / name
        old = path.read_bytes() if path.exists() else None
        mode = stat.S_IMODE(path.stat().st_mode) if old is not None else 0
        written = hashlib.sha256(content.encode()).hexdigest()
        self.history.append(Undo(path=str(path), content=old, mode=mode, written=written))
        if not fails:
            path.write_text(content)

    def undo(self) -> list[str]:
        return undo_last_turn(session_of(self.history, self.cwd))

    def seen(self) -> list[str]:
        return [message.text for message in self.history.view()]


@pytest.fixture
def talk(tmp_path: Path) -> Talk:
    return Talk(tmp_path)


def test_files_are_as_before_and_the_model_never_heard_of_it(talk: Talk, tmp_path: Path) -> None:
    (tmp_path / "old.txt").write_text("before\n")
    talk.ask("first")
    talk.answer("First answer.")
    talk.ask("change it")
    talk.write("old.txt", "after\n")
    talk.write("new.txt", "new\n")
    talk.answer()
    assert talk.undo() == [
        f"deleted {tmp_path}/new.txt, which was new",
        f"restored {tmp_path}/old.txt",
        "the model will not hear again of: change it",
    ]
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"old.txt": "before\n"}
    assert talk.seen() == ["Be brief.", "first", "First answer."]


def test_a_file_that_was_written_often_goes_back_to_the_beginning(
    talk: Talk, tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text("0")
    talk.ask("count")
    for number in range(1, 5):
        talk.write("a.txt", str(number))
    talk.answer()
    talk.undo()
    assert (tmp_path / "a.txt").read_text() == "0"


def test_each_undo_takes_back_one_question(talk: Talk, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    for number in range(3):
        talk.ask(f"question {number}")
        talk.write("a.txt", str(number))
        talk.answer()
    contents = []
    for _ in range(3):
        talk.undo()
        contents.append(path.read_text() if path.exists() else None)
    assert contents == ["1", "0", None]
    assert talk.seen() == ["Be brief."]
    assert talk.undo() == ["there is nothing to undo"]


def test_after_an_undo_the_talk_goes_on(talk: Talk, tmp_path: Path) -> None:
    talk.ask("first")
    talk.answer()
    talk.undo()
    talk.ask("second")
    talk.write("a.txt", "x")
    talk.answer()
    assert talk.seen() == ["Be brief.", "second", "Done."]
    talk.undo()
    assert not (tmp_path / "a.txt").exists()
    assert talk.undo() == ["there is nothing to undo"]


def test_mode_bits_come_back(talk: Talk, tmp_path: Path) -> None:
    path = tmp_path / "run.sh"
    path.write_text("echo\n")
    path.chmod(0o750)
    talk.ask("change it")
    talk.write("run.sh", "rm\n")
    path.chmod(0o600)
    talk.answer()
    talk.undo()
    assert (path.read_text(), stat.S_IMODE(path.stat().st_mode)) == ("echo\n", 0o750)


def test_a_deleted_file_comes_back(talk: Talk, tmp_path: Path) -> None:
    path = tmp_path / "sub" / "a.txt"
    path.parent.mkdir()
    path.write_text("x")
    talk.ask("clean up")
    talk.history.append(Undo(path=str(path), content=b"x", mode=0o644))
    path.unlink()
    path.parent.rmdir()
    talk.answer()
    assert talk.undo()[0] == f"brought back {path}"
    assert path.read_text() == "x"


def test_folders_that_were_made_go_unless_something_else_is_in_them(
    talk: Talk, tmp_path: Path
) -> None:
    talk.ask("make a tree")
    for name in ("a", "a/b", "c"):
        talk.history.append(Undo(path=str(tmp_path / name), content=None))
        (tmp_path / name).mkdir()
    talk.write("a/b/new.txt", "x")
    talk.write("c/new.txt", "x")
    (tmp_path / "c" / "mine.txt").write_text("the user's")
    talk.answer()
    talk.undo()
    assert sorted(str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*")) == ["c", "c/mine.txt"]


def test_what_somebody_changed_afterwards_is_left_alone_and_that_is_said(
    talk: Talk, tmp_path: Path
) -> None:
    path = tmp_path / "a.txt"
    path.write_text("before")
    talk.ask("change it")
    talk.write("a.txt", "after")
    talk.write("new.txt", "new")
    talk.answer()
    path.write_text("the user's work")
    (tmp_path / "new.txt").write_text("the user's work")
    assert talk.undo()[:2] == [
        f"left {tmp_path}/new.txt as it is: it was changed afterwards, by a command or by you",
        f"left {path} as it is: it was changed afterwards, by a command or by you",
    ]
    assert path.read_text() == "the user's work"


def test_what_somebody_took_back_already_needs_no_undo(talk: Talk, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("before")
    talk.ask("change it")
    talk.write("a.txt", "after")
    talk.answer()
    path.write_text("before")
    assert talk.undo() == ["the model will not hear again of: change it"]


def test_a_write_that_failed_does_not_stand_in_the_way(talk: Talk, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("before")
    talk.ask("change it")
    talk.write("a.txt", "after")
    talk.write("a.txt", "never written", fails=True)
    talk.write("b.txt", "never written", fails=True)
    talk.answer()
    assert talk.undo()[0] == f"restored {path}"
    assert path.read_text() == "before"


def test_what_a_plugin_wrote_without_telling_what_is_restored(talk: Talk, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("after")
    talk.ask("change it")
    talk.history.append(Undo(path=str(path), content=b"before", mode=0o644))
    talk.answer()
    talk.undo()
    assert path.read_text() == "before"


def test_what_commands_changed_is_named_as_unknown(talk: Talk) -> None:
    talk.ask("build it")
    for command in ("make", "make", "echo hi > a"):
        talk.command(command)
    talk.answer()
    assert talk.undo() == [
        "what commands changed is not known and stays: make, echo hi > a",
        "the model will not hear again of: build it",
    ]


@pytest.mark.parametrize("how", ["cancelled", "failed"])
def test_a_turn_that_did_not_end_well_can_be_undone(talk: Talk, tmp_path: Path, how: str) -> None:
    (tmp_path / "a.txt").write_text("before")
    talk.ask("first")
    talk.answer()
    first = talk.ask("change it")
    talk.write("a.txt", "after")
    if how == "cancelled":
        talk.history.withdraw(first, "cancelled")
    assert talk.undo()[0] == f"restored {tmp_path}/a.txt"
    assert (tmp_path / "a.txt").read_text() == "before"
    assert talk.seen() == ["Be brief.", "first", "Done."]


def test_a_session_that_was_resumed_can_be_undone(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "a.txt").write_text("before")
    file = SessionFile(tmp_path / "s.jsonl")
    talk = Talk(work, History([], file))
    talk.history.append(header("s", system="Be brief."))
    talk.ask("change it")
    talk.write("a.txt", "after")
    talk.answer()
    file.close()
    again = SessionFile(tmp_path / "s.jsonl")
    resumed = Talk(work, History(again.resume().records, again))
    resumed.undo()
    again.close()
    assert (work / "a.txt").read_text() == "before"
    last = SessionFile(tmp_path / "s.jsonl")
    view = History(last.resume().records).view()
    last.close()
    assert [message.text for message in view] == ["Be brief."]


def test_what_was_summarised_before_the_turn_stays_summarised(talk: Talk, tmp_path: Path) -> None:
    talk.ask("first")
    talk.answer()
    talk.ask("second")
    talk.write("a.txt", "x")
    summary = (Message(role="user", text="Summary."), Message(role="assistant", text="Yes."))
    talk.history.append(Rewrite(why="compacted", edits=(Edit(first=1, last=2, messages=summary),)))
    talk.answer()
    talk.undo()
    assert talk.seen() == ["Be brief.", "Summary.", "Yes."]


def test_nothing_is_undone_while_a_turn_runs(talk: Talk) -> None:
    first = talk.ask("change it")
    session = session_of(talk.history, talk.cwd)
    session.turn = Turn(question="change it", first=first)
    with pytest.raises(RuntimeError, match="a turn is running"):
        undo_last_turn(session)


def test_without_a_question_there_is_nothing_to_undo(talk: Talk) -> None:
    assert talk.undo() == ["there is nothing to undo"]


def replace_by_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def replace_by_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


@pytest.mark.parametrize("replace", [replace_by_folder, replace_by_pipe])
def test_what_is_no_file_any_more_is_left_alone(
    talk: Talk, tmp_path: Path, replace: Callable[[Path], None]
) -> None:
    path = tmp_path / "a.txt"
    path.write_text("before")
    talk.ask("change it")
    talk.write("a.txt", "after")
    talk.answer()
    replace(path)
    assert talk.undo()[0] == f"left {path} as it is: it is no file any more"


def test_a_file_that_cannot_be_restored_is_named_and_the_others_are_restored(
    talk: Talk, tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text("before")
    talk.ask("change them")
    talk.history.append(Undo(path=f"{tmp_path}/a.txt/b.txt", content=b"x", mode=0o644))
    talk.write("a.txt", "after")
    talk.answer()
    assert talk.undo()[:2] == [
        f"restored {tmp_path}/a.txt",
        f"could not restore {tmp_path}/a.txt/b.txt: File exists",
    ]


def test_a_full_disk_does_not_take_what_is_there(
    talk: Talk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import resource

    (tmp_path / "a.txt").write_text("b" * 100_000)
    talk.ask("change it")
    talk.write("a.txt", "after")
    talk.answer()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, limits[1]))
    try:
        said = talk.undo()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert said[0] == f"could not restore {tmp_path}/a.txt: File too large"
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("a.txt", "after")]


def test_a_long_question_is_shortened(talk: Talk) -> None:
    talk.ask("why\n" * 100)
    (line,) = talk.undo()
    assert line == "the model will not hear again of: " + ("why " * 20) + "..."


def test_a_resumed_session_undoes_nothing_outside_of_its_project(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "link").symlink_to(tmp_path)
    outside = tmp_path / "outside.txt"
    outside.write_text("mine")
    (project / "inside.txt").write_text("after")
    paths = [str(outside), str(project / "link" / "new.txt"), str(project / "inside.txt")]
    talk = Talk(project)
    talk.ask("change them")
    for path in paths:
        talk.history.append(Undo(path=path, content=b"evil", mode=0o644))
    talk.answer()
    resumed = Talk(project, History(talk.history.records))
    told = "\n".join(resumed.undo())
    assert "it is not in" in told
    assert outside.read_text() == "mine"
    assert not (tmp_path / "new.txt").exists()
    assert (project / "inside.txt").read_text() == "evil"
