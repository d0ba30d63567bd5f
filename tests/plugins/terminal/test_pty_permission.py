"""The permission question at the keyboard: all of it is seen, and only its own answer counts."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeAlias

import pytest

from minime_core.testing import Gate, Mm, Reply, hold, text, tool_call
from pty_mm import CTRL_D, ENTER, QuickPtyMm

Start: TypeAlias = Callable[..., QuickPtyMm]
CHOICES = "[y]es, [a]lways, [n]o, never, [e]dit?"


def bash(command: str) -> Reply:
    return tool_call("bash", {"command": command})


def told(mm: Mm) -> Any:
    """Return what the model was told last."""
    return mm.server.chat_requests[-1].json["messages"][-1]["content"]


def answer(terminal: QuickPtyMm, keys: str, seen: str) -> None:
    """Answer the question that stands there, and wait for what follows."""
    terminal.type(keys + ENTER)
    terminal.see(seen)


def test_the_command_is_shown_and_each_key_does_what_it_says(start: Start, mm: Mm) -> None:
    count = bash("echo x >> made")
    terminal = start(
        *(count, text("One.")),
        *(count, text("Two.")),
        *(count, text("Three.")),
        *(count, count, text("Four.")),
        text("Five."),
        *(count, text("Six.")),
    )
    made = mm.cwd / "made"
    terminal.ask("Once.")
    terminal.see(CHOICES)
    assert "bash wants to do this:\n│ echo x >> made\n" in terminal.text
    assert not made.exists()
    answer(terminal, "y", "One.")
    assert made.read_text() == "x\n"
    terminal.ask("Not.")
    terminal.see(CHOICES, 2)
    answer(terminal, "n use another file", "Two.")
    assert made.read_text() == "x\n"
    terminal.ask("What is no answer is asked again.")
    terminal.see(CHOICES, 3)
    answer(terminal, "ok", "y: run it once.")
    terminal.see(CHOICES, 4)
    answer(terminal, "n", "Three.")
    assert "the user said no: use another file" in json.dumps(mm.server.chat_requests[3].json)
    terminal.ask("Always.")
    terminal.see(CHOICES, 5)
    answer(terminal, "a", "Four.")
    assert made.read_text() == "x\n" * 3
    # It holds for this session alone.
    terminal.ask("/new")
    terminal.see("/help shows more", 2)
    terminal.see_prompt()
    terminal.ask("And now?")
    terminal.see("Five.")
    terminal.see_prompt()
    terminal.ask("Again.")
    terminal.see(CHOICES, 6)
    answer(terminal, "n", "Six.")


def test_never_refuses_each_call_of_the_tool_without_another_question(start: Start, mm: Mm) -> None:
    terminal = start(bash("touch made"), bash("touch made too"), text("Then not."))
    terminal.ask("Make it.")
    terminal.see(CHOICES)
    answer(terminal, "never", "Then not.")
    terminal.see_prompt()
    assert terminal.text.count(CHOICES) == 1
    assert not list(mm.cwd.glob("made*"))


def test_a_command_that_is_changed_is_the_one_that_runs(start: Start, mm: Mm) -> None:
    terminal = start(bash("echo wrong > made"), text("Done."))
    terminal.ask("Make it.")
    terminal.see(CHOICES)
    answer(terminal, "e", "change it to:")
    terminal.until(lambda: "echo wrong > made" in terminal.rows(), "the command in a row")
    # To the beginning, over `echo `, and the word away.
    terminal.type("\x01\x1bf\x1bd right")
    terminal.see("echo right > made")
    answer(terminal, "", "Done.")
    assert (mm.cwd / "made").read_text() == "right\n"


def test_a_file_is_shown_as_its_diff_and_changed_as_json(start: Start, mm: Mm) -> None:
    (mm.cwd / "a.txt").write_text("one\ntwo\nthree\n")
    call = tool_call("write_file", {"path": "a.txt", "content": "one\n2\nthree\n"})
    read = tool_call("read_file", {"path": "a.txt"})
    terminal = start(read, call, text("Done."))
    terminal.ask("Change it.")
    terminal.see(CHOICES)
    asked = terminal.text.partition("write_file wants to do this:\n")[2]
    assert asked.startswith("a.txt (+1 -1)\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n[y]es")
    assert (mm.cwd / "a.txt").read_text() == "one\ntwo\nthree\n"
    answer(terminal, "e", '"content": "one\\n2\\nthree\\n"')
    # To the end of the row above, and before the last newline of the text.
    terminal.type("\x10\x05" + "\x02" * 3 + "X")
    terminal.see('threeX\\n"')
    answer(terminal, "", "Done.")
    assert (mm.cwd / "a.txt").read_text() == "one\n2\nthreeX\n"


def test_a_command_that_is_longer_than_the_screen_is_shown_to_its_end(start: Start, mm: Mm) -> None:
    lines = [f"echo {n} {'x' * 70}" for n in range(60)]
    terminal = start(bash("\n".join(lines)), text("Then not."), columns=60, lines=16)
    terminal.ask("Do much.")
    terminal.see(CHOICES)
    asked = terminal.text.partition("bash wants to do this:\n")[2].partition("[y]es")[0]
    # Rows end at blanks.
    shown = "".join(row.removeprefix("│ ") for row in asked.split("\n"))
    assert "".join(shown.split()) == "".join("".join(lines).split())
    answer(terminal, "n", "Then not.")


def test_control_characters_of_a_command_are_seen_there_and_where_it_is_changed(
    start: Start, mm: Mm
) -> None:
    evil = "echo harmless\x1b[2K\rrm -rf x \u202edoog si siht\u2066\x9b2J\x1b]0;owned\x07"
    terminal = start(bash(evil), text("Then not."))
    terminal.ask("Do it.")
    terminal.see(CHOICES)
    shown = "echo harmless␛[2K␍rm -rf x \ufffddoog si siht\ufffd\ufffd2J␛]0;owned␇"
    assert f"│ {shown}" in terminal.rows()
    answer(terminal, "e", "change it to:")
    terminal.see("echo harmless^[[2K^Mrm -rf x \ufffddoog si siht\ufffd<9b>2J^[]0;owned^G")
    terminal.type("\x03")
    terminal.see(CHOICES, 2)
    answer(terminal, "n", "Then not.")
    assert terminal.title != "owned"
    for sequence in ("\u202e", "\u2066", "\x9b", "\x1b[2K", "\x1b]0;owned"):
        assert sequence.encode() not in terminal.written


@pytest.mark.parametrize("term", ["xterm-256color", "dumb"])
def test_what_was_typed_ahead_answers_no_question(term: str, start: Start, mm: Mm) -> None:
    gate = Gate()
    first = text("Let me. ") + hold(gate) + bash("touch made")
    terminal = start(first, text("Then not."), env={"TERM": term})
    terminal.type("Make it.")
    terminal.see("Make it.")
    terminal.type("\n" if term == "dumb" else ENTER)
    assert gate.wait_reached(30)
    if term != "dumb":
        terminal.see("Let me.")
    terminal.type("y\ry\na\r")
    gate.open()
    terminal.see(CHOICES)
    assert not (mm.cwd / "made").exists()
    terminal.type("n\r" if term != "dumb" else "n\n")
    terminal.see("Then not.")
    assert not (mm.cwd / "made").exists()
    assert "not allow" in told(mm) or "said no" in told(mm)


def test_the_end_of_the_input_is_a_no(start: Start, mm: Mm) -> None:
    terminal = start(bash("touch made"), text("Then not."))
    terminal.ask("Make it.")
    terminal.see(CHOICES)
    terminal.type(CTRL_D)
    terminal.see("Then not.")
    assert not (mm.cwd / "made").exists()
