"""`mm sessions export`, `/export` and `/sessions`, over sessions that were really had."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from minime_commands.slash_commands import export, list_sessions
from minime_core.errors import UserError
from minime_core.testing import Mm, ScriptedModel, scripted_session, text, tool_call


@pytest.fixture
def had(mm: Mm) -> Mm:
    """A session with a call, and an older one."""
    mm.server.enqueue(text("An answer."))
    mm.run("-p", "first question")
    (older,) = mm.cwd.glob(".mm/sessions/*.jsonl")
    older.rename(older.with_name("20260101-000000-aaaaaa.jsonl"))
    mm.server.enqueue(tool_call("bash", {"command": "echo '```'"}), text("It says **so**."))
    mm.run("--yolo", "-p", "run it")
    return mm


def test_the_newest_goes_to_a_pipe_as_a_page(had: Mm) -> None:
    code, out, err = had.run("sessions", "export")
    assert (code, err) == (0, "")
    assert out.startswith("<!DOCTYPE html>\n")
    assert "<strong>so</strong>" in out
    assert "first question" not in out


def test_it_is_had_as_json_with_times_and_counts(had: Mm) -> None:
    story = json.loads(had.run("sessions", "export", "--json").out)
    (turn,) = story["turns"]
    assert (story["model"], turn["question"], turn["is_stopped"]) == ("m", "run it", False)
    first, last = turn["steps"]
    assert (first["tool"], first["arguments"]) == ("bash", {"command": "echo '```'"})
    assert "```" in first["result"]
    assert last["text"] == "It says **so**."
    assert first["usage"]["prompt_tokens"] > 0
    assert turn["at"] <= first["at"] <= first["at"] + first["seconds"] <= last["at"]


def test_another_one_is_named_and_written_to_a_file_by_its_end(had: Mm) -> None:
    done = had.run("sessions", "export", "20260101", "--output", "a.md")
    assert (done.code, done.out, done.err) == (0, "", "mm: the session is in a.md\n")
    page = (had.cwd / "a.md").read_text()
    assert "## first question" in page
    assert "An answer." in page
    assert (had.cwd / "a.md").stat().st_mode & 0o077 == 0


def test_a_block_of_code_ends_where_it_ends(had: Mm) -> None:
    assert "````\n```\n" in had.run("sessions", "export", "--markdown").out


def test_no_file_is_written_over(had: Mm) -> None:
    (had.cwd / "a.html").write_text("mine")
    code, out, err = had.run("sessions", "export", "-o", "a.html")
    assert (code, out, err) == (2, "", "mm: a.html is there already; name another file\n")
    assert (had.cwd / "a.html").read_text() == "mine"


def test_where_none_is_there_one_line_says_so(mm: Mm) -> None:
    code, out, err = mm.run("sessions", "export")
    assert (code, out, err.count("\n")) == (2, "", 1)


@pytest.mark.parametrize(
    ("arguments", "name", "begins"),
    [
        ("", None, "<!DOCTYPE html>"),
        ("markdown", None, "# Session "),
        ("notes.md", "notes.md", "# Session "),
        ("json my talk.txt", "my talk.txt", "{"),
    ],
)
def test_in_a_conversation_it_is_a_command(
    tmp_path: Path, arguments: str, name: str | None, begins: str
) -> None:
    async def scenario() -> None:
        async with scripted_session(ScriptedModel(["Fine."]), plugins=["commands"]) as session:
            await session.ask("How are you?")
            said = await export(session.session, arguments)
            (file,) = [p for p in session.session.cwd.iterdir() if f"`{p}`" in said]
            assert name is None or file.name == name
            content = file.read_text()
            assert content.startswith(begins)
            assert "How are you?" in content
            with pytest.raises(UserError, match="is there already"):
                await export(session.session, arguments)

    asyncio.run(scenario())


def test_nothing_said_is_nothing_to_export() -> None:
    async def scenario() -> None:
        async with scripted_session(ScriptedModel([]), plugins=["commands"]) as session:
            with pytest.raises(UserError, match="nothing was said yet"):
                await export(session.session, "")
            assert "none here yet" in await list_sessions(session.session, "")

    asyncio.run(scenario())
