"""Ctrl-C at each moment: it stops what runs, keeps what was done, and the next question works."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from minime_core.testing import Gate, Mm, Reply, delta, hold, progress, text, thinking, tool_call
from pty_mm import CTRL_C, CTRL_D, ENTER, QuickPtyMm

Start: TypeAlias = Callable[..., QuickPtyMm]

HALF_A_CALL = delta(
    {
        "tool_calls": [
            {"index": 0, "id": "c", "function": {"name": "bash", "arguments": '{"command": "ec'}}
        ]
    }
)


def bash(command: str) -> Reply:
    return tool_call("bash", {"command": command})


def questions(mm: Mm) -> list[str]:
    """Return what the model heard of the user with the last request."""
    messages = mm.server.chat_requests[-1].json["messages"]
    return [message["content"] for message in messages if message["role"] == "user"]


PHASES: list[tuple[Reply | None, str]] = [
    (None, "Waiting for the server"),
    (progress(10, total=1000), "Reading the prompt 10/1.0k"),
    (thinking("Let me see."), "Thinking"),
    (text("I will begin"), "Writing"),
    (HALF_A_CALL, "Composing a tool call (15 B)"),
]


def test_a_turn_is_stopped_in_each_phase_and_the_next_question_works(start: Start, mm: Mm) -> None:
    terminal = start()
    for count, (before, phase) in enumerate(PHASES, start=1):
        gate = Gate()
        held = hold(gate) + text(" never seen.")
        mm.server.enqueue(before + held if before else held, text("Here again."))
        terminal.ask("Go.")
        terminal.see(phase)
        # Else the next question would get this answer.
        assert gate.wait_reached(30)
        terminal.type(CTRL_C)
        terminal.see("(stopped:", count)
        terminal.see_prompt()
        terminal.ask("And now?")
        terminal.see("Here again.", count)
        terminal.see_prompt()
        assert questions(mm) == ["And now?"] * count
    assert "never seen" not in terminal.text


def test_a_command_that_runs_is_ended_and_its_output_stays(start: Start, mm: Mm) -> None:
    terminal = start(bash("echo so far; sleep 600"), text("Here again."), options=("--yolo",))
    terminal.ask("Wait.")
    terminal.see("Running bash")
    terminal.see("│ so far")
    terminal.type(CTRL_C)
    terminal.see("(stopped:")
    terminal.ask("And now?")
    terminal.see("Here again.")
    assert "│ so far" in terminal.text


def test_what_was_done_before_is_kept(start: Start, mm: Mm) -> None:
    gate = Gate()
    later = text("Half an answ") + hold(gate)
    terminal = start(bash("echo one | tee made"), later, text("Here."), options=("--yolo",))
    terminal.ask("Make it.")
    terminal.see("Half an answ")
    terminal.type(CTRL_C)
    terminal.see("(stopped:")
    terminal.ask("And now?")
    terminal.see("Here.")
    assert (mm.cwd / "made").read_text() == "one\n"
    for kept in ("● bash: echo one | tee made", "│ one", "Half an answ"):
        assert kept in terminal.text


def test_at_a_permission_question_the_turn_is_stopped_and_nothing_runs(
    start: Start, mm: Mm
) -> None:
    terminal = start(bash("touch made"), text("Here again."))
    terminal.ask("Make it.")
    terminal.see("[e]dit?")
    terminal.type(CTRL_C)
    terminal.see("(stopped:")
    terminal.ask("And now?")
    terminal.see("Here again.")
    assert not (mm.cwd / "made").exists()
    assert questions(mm) == ["And now?"]


def test_while_a_command_is_changed_only_the_change_is_given_up(start: Start, mm: Mm) -> None:
    terminal = start(bash("touch made"), text("Done."))
    terminal.ask("Make it.")
    terminal.see("[e]dit?")
    terminal.type("e" + ENTER)
    terminal.see("change it to:")
    terminal.type("X" + CTRL_C)
    terminal.see("[e]dit?", 2)
    terminal.type("y" + ENTER)
    terminal.see("Done.")
    assert [path.name for path in mm.cwd.glob("made*")] == ["made"]


def test_what_was_typed_before_is_still_in_the_line(start: Start, mm: Mm) -> None:
    gate = Gate()
    terminal = start(text("I will begin") + hold(gate), text("Here again."))
    terminal.ask("Go.")
    terminal.see("I will begin")
    assert gate.wait_reached(30)
    terminal.type("No, do this" + CTRL_C)
    terminal.see("> No, do this")
    terminal.type(" instead." + ENTER)
    terminal.see("Here again.")
    assert questions(mm) == ["No, do this instead."]


def test_in_a_line_it_clears_the_line(start: Start, mm: Mm) -> None:
    terminal = start(text("Here."))
    terminal.type("half a quest")
    terminal.see("half a quest")
    terminal.type(CTRL_C)
    terminal.see_prompt()
    terminal.ask("And now?")
    terminal.see("Here.")
    assert questions(mm) == ["And now?"]


def test_twice_in_an_empty_line_it_ends(start: Start) -> None:
    terminal = start()
    terminal.type(CTRL_C)
    terminal.see("(Ctrl-C once more ends")
    terminal.see_prompt()
    terminal.type(CTRL_C)
    assert terminal.end() == 130


def test_twice_in_a_turn_it_ends(start: Start) -> None:
    terminal = start(bash("trap '' TERM; echo begun; sleep 600"), options=("--yolo",))
    terminal.ask("Wait.")
    terminal.see("│ begun")
    terminal.type(CTRL_C)
    terminal.see("Stopping")
    terminal.type(CTRL_C)
    assert terminal.end() == 130


def test_once_and_a_question_between_do_not_end(start: Start) -> None:
    terminal = start(text("Here."))
    terminal.type(CTRL_C)
    terminal.see("(Ctrl-C once more ends")
    terminal.ask("Stay.")
    terminal.see("Here.")
    terminal.see_prompt()
    terminal.type(CTRL_C)
    terminal.see("(Ctrl-C once more ends", 2)
    terminal.see_prompt()


def test_a_dumb_terminal_is_stopped_too_and_says_so_in_a_row_of_its_own(
    start: Start, mm: Mm
) -> None:
    terminal = start(bash("touch made"), text("Here again."), env={"TERM": "dumb"})
    terminal.type("Make it.\n")
    terminal.see("[e]dit?")
    terminal.type(CTRL_C)
    terminal.until(lambda: any(row.startswith("(stopped:") for row in terminal.rows()), "a row")
    terminal.see_prompt()
    terminal.type("And now?\n")
    terminal.see("Here again.")
    terminal.see_prompt()
    assert not (mm.cwd / "made").exists()
    terminal.type(CTRL_D)
    assert terminal.end() == 0
