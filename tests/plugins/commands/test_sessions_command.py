"""`mm sessions`, over sessions that were really had."""

from __future__ import annotations

import json

import pytest

from minime_core.testing import Mm, text, tool_call


@pytest.fixture
def had(mm: Mm) -> Mm:
    """Two sessions, the newer one with a call and an escape sequence."""
    mm.server.enqueue(text("An answer."))
    mm.run("-p", "first question")
    mm.server.enqueue(tool_call("bash", {"command": "echo hello"}), text("It\x1b[2J says hello."))
    mm.run("--yolo", "-p", "run it " + "x" * 100)
    return mm


def ids(mm: Mm) -> list[str]:
    return [s["id"] for s in json.loads(mm.run("sessions", "list", "--json").out)]


def test_the_list_has_the_newest_first(had: Mm) -> None:
    newer, older = json.loads(had.run("sessions", "list", "--json").out)
    assert (older["first"], older["questions"], older["model"]) == ("first question", 1, "m")
    assert newer["first"] == ("run it " + "x" * 100)[:59] + "…"
    assert newer["tokens"] > older["tokens"] > 100
    lines = had.run("sessions", "list").out.splitlines()
    assert [line.split()[0] for line in lines] == [newer["id"], older["id"]]
    assert "first question" in lines[1]


def test_a_conversation_is_shown_without_what_a_terminal_obeys(had: Mm) -> None:
    shown = had.run("sessions", "show", ids(had)[0]).out
    assert '● bash: {"command": "echo hello"}' in shown
    assert "  hello" in shown
    assert "It\N{REPLACEMENT CHARACTER}[2J says hello." in shown
    assert "\x1b" not in shown


def test_all_records_can_be_had(had: Mm) -> None:
    lines = had.run("sessions", "show", "--json", ids(had)[1]).out.splitlines()
    assert json.loads(lines[0])["kind"] == "meta"
    assert json.loads(lines[-1])["message"]["text"] == "An answer."


def test_a_session_is_removed_and_the_other_stays(had: Mm) -> None:
    newer, older = ids(had)
    assert had.run("sessions", "rm", older) == (0, f"{older} is removed\n", "")
    assert ids(had) == [newer]
    done = had.run("sessions", "show", older)
    assert done.code != 0
    assert "no session begins with" in done.err


def test_what_is_no_session_is_named_and_left_out(had: Mm) -> None:
    folder = had.cwd / ".mm" / "sessions"
    folder.mkdir(exist_ok=True)
    (folder / "20000101-000000-abcdef.jsonl").write_text("not a session\n")
    done = had.run("sessions", "list", "--json")
    assert done.code == 0
    assert len(json.loads(done.out)) == 2 or "is not an mm session" in done.err


def test_without_sessions_there_is_a_hint(mm: Mm) -> None:
    done = mm.run("sessions", "list")
    assert (done.code, done.out) == (0, "")
    assert "mm -c" in done.err
