"""A conversation on a real pseudo-terminal, from the first key to the last."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

import pytest

from minime_core.testing import Gate, Mm, Reply, hold, progress, text, thinking, tool_call
from pty_mm import CTRL_C, CTRL_D, ENTER, TAB, QuickPtyMm

Start: TypeAlias = Callable[..., QuickPtyMm]
READY = "/help shows more"


def bash(command: str) -> Reply:
    return tool_call("bash", {"command": command})


def test_two_rows_greet_and_say_which_model_answers_and_why(start: Start) -> None:
    terminal = start()
    first, second = [row for row in terminal.rows() if row][:2]
    assert re.fullmatch(r"Mini Me · m · window 4\.1k by /props · profile default", first)
    assert re.fullmatch(r"configured: llamacpp http://127\.0\.0\.1:\d+/v1 · /help .*", second)


def test_a_question_is_typed_and_answered_and_the_end_is_clean(start: Start, mm: Mm) -> None:
    terminal = start(text("A **bold** answer."))
    terminal.ask("What is this?")
    terminal.see("A bold answer.")
    terminal.see_prompt()
    terminal.type(CTRL_D)
    assert terminal.end() == 0
    assert mm.server.chat_requests[0].json["messages"][-1]["content"] == "What is this?"


def test_many_pasted_lines_are_one_question(start: Start, mm: Mm) -> None:
    terminal = start(text("Read."))
    terminal.type("\x1b[200~first\nsecond\nthird\x1b[201~")
    terminal.see("third")
    terminal.type(ENTER)
    terminal.see("Read.")
    assert mm.server.chat_requests[0].json["messages"][-1]["content"] == "first\nsecond\nthird"


def test_commands_and_files_are_completed(start: Start, mm: Mm) -> None:
    (mm.cwd / "unusual_name.py").write_text("")
    terminal = start()
    terminal.type("/too" + TAB)
    terminal.see("/tools")
    terminal.type(CTRL_C + "look at @unusu" + TAB)
    terminal.see("unusual_name.py")


def test_an_unknown_command_is_told_with_the_nearest(start: Start) -> None:
    terminal = start()
    terminal.ask("/hlep")
    terminal.see("did you mean /help?")


def test_an_answer_is_on_the_screen_while_it_is_written(start: Start) -> None:
    gate = Gate()
    terminal = start(text("The first part. ") + hold(gate) + text("The rest."))
    terminal.ask("Tell me.")
    terminal.see("The first part.")
    terminal.see("Writing")
    assert "The rest." not in terminal.text
    gate.open()
    terminal.see("The first part. The rest.")
    terminal.see_prompt()
    assert "Writing" not in terminal.text


@pytest.mark.parametrize(
    ("before", "phase"),
    [
        (progress(10, total=1000), "Reading the prompt"),
        (thinking("Let me see."), "Thinking"),
        (text("I will begin"), "Writing"),
        (None, "Waiting for the server"),
    ],
    ids=["reading", "thinking", "writing", "waiting"],
)
def test_ctrl_c_stops_a_turn_in_each_phase_and_the_next_question_works(
    before: Reply | None, phase: str, start: Start, mm: Mm
) -> None:
    gate = Gate()
    held = hold(gate) + text(" never seen.")
    terminal = start(before + held if before else held, text("Here again."))
    terminal.ask("Go.")
    terminal.see(phase)
    # Else the next question would get this answer.
    assert gate.wait_reached(30)
    terminal.type(CTRL_C)
    terminal.see("(stopped:")
    terminal.ask("And now?")
    terminal.see("Here again.")
    asked = [
        m["content"] for m in mm.server.chat_requests[1].json["messages"] if m["role"] == "user"
    ]
    assert asked == ["And now?"]


def test_ctrl_c_stops_a_tool_that_runs(start: Start, mm: Mm) -> None:
    terminal = start(bash("touch began; sleep 600"), options=("--yolo",))
    terminal.ask("Wait.")
    terminal.see("Running bash")
    terminal.until((mm.cwd / "began").exists, "the command runs")
    terminal.type(CTRL_C)
    terminal.see("(stopped:")


def test_ctrl_c_twice_ends(start: Start) -> None:
    terminal = start()
    terminal.type(CTRL_C)
    terminal.see("(Ctrl-C once more ends")
    terminal.see_prompt()
    terminal.type(CTRL_C)
    assert terminal.end() == 130


def test_a_permission_question_shows_the_command_and_yes_runs_it(start: Start, mm: Mm) -> None:
    terminal = start(bash("echo yes > made"), text("Done."))
    terminal.ask("Make it.")
    terminal.see("bash wants to do this:")
    terminal.see("echo yes > made", 1)
    assert not (mm.cwd / "made").exists()
    terminal.see("never")
    terminal.type("y" + ENTER)
    terminal.see("Done.")
    assert (mm.cwd / "made").read_text() == "yes\n"


def test_no_keeps_a_command_from_running(start: Start, mm: Mm) -> None:
    terminal = start(bash("touch made"), text("Then not."))
    terminal.ask("Make it.")
    terminal.see("never")
    terminal.type("n" + ENTER)
    terminal.see("Then not.")
    assert not (mm.cwd / "made").exists()


def test_what_was_typed_ahead_answers_no_question(start: Start, mm: Mm) -> None:
    gate = Gate()
    terminal = start(text("Let me. ") + hold(gate) + bash("touch made"), text("Then not."))
    terminal.ask("Make it.")
    terminal.see("Let me.")
    terminal.type("y" + ENTER)
    gate.open()
    terminal.see("never")
    assert not (mm.cwd / "made").exists()
    terminal.type("n" + ENTER)
    terminal.see("Then not.")
    assert not (mm.cwd / "made").exists()


def test_a_window_that_is_resized_in_mid_stream_loses_nothing(start: Start) -> None:
    gate = Gate()
    early = " ".join(f"early{n}" for n in range(60))
    late = " ".join(f"late{n}" for n in range(60))
    terminal = start(text(f"{early}\n\n") + hold(gate) + text(f"{late} end."))
    terminal.ask("Tell me.")
    terminal.see("early59")
    terminal.resize(60, 20)
    gate.open()
    terminal.see("end.")
    # What stood there before is cut by pyte itself, which is no terminal that wraps anew.
    assert re.findall(r"late\d+", terminal.text) == late.split()
    assert terminal.text.count("early0 ") == 1


def test_escape_sequences_of_the_model_are_shown_and_not_obeyed(start: Start) -> None:
    evil = "\x1b]0;owned\x07\x1b[2J\x1b[31mred\x1b[?1049h\x9b2J\rover harmless"
    terminal = start(text(f"before {evil} after"))
    terminal.ask("Do your worst.")
    terminal.see("harmless after")
    assert terminal.title != "owned"
    assert READY in terminal.text
    assert b"\x1b]0;owned" not in terminal.written
    assert b"\x1b[?1049h" not in terminal.written


def test_escape_sequences_of_a_tool_are_not_obeyed(start: Start) -> None:
    command = r"printf '\033]0;owned\007\033[2Jloot'"
    terminal = start(bash(command), text("Done."), options=("--yolo",))
    terminal.ask("Do your worst.")
    terminal.see("Done.")
    assert terminal.title != "owned"
    assert READY in terminal.text


def test_ten_thousand_lines_arrive_in_order(start: Start) -> None:
    lines = "\n".join(f"line {n}" for n in range(10_000))
    terminal = start(text(f"```\n{lines}\n```\nfinished", chunks=200))
    terminal.ask("All of it.")
    terminal.see("finished")
    shown = [int(n) for n in re.findall(r"line (\d+)\b", terminal.text)]
    assert shown == list(range(10_000))


def test_wide_characters_and_emoji_leave_the_rows_whole(start: Start) -> None:
    wide = "日本語の文章 👍 " * 10
    terminal = start(text(f"{wide}\n\nbelow"), columns=40)
    terminal.ask("Wide.")
    terminal.see("below")
    # pyte keeps an empty cell behind each wide character.
    shown = "".join(terminal.text.split())
    assert shown.count("日本語の文章") == 10


def test_a_dumb_terminal_gets_text_alone(start: Start) -> None:
    terminal = start(text("A **plain** answer."), env={"TERM": "dumb"})
    terminal.type("Tell me.\n")
    terminal.see("plain")
    terminal.type(CTRL_D)
    assert terminal.end() == 0
    assert b"\x1b" not in terminal.written


def test_no_color_means_no_colour(start: Start) -> None:
    terminal = start(text("# Head\n\nA `code`."), env={"NO_COLOR": "1"})
    terminal.ask("Tell me.")
    terminal.see("A `code`.")
    assert not re.search(rb"\x1b\[(?:\d+;)*[349][0-7](?:;\d+)*m", terminal.written)


def test_forty_columns_are_enough(start: Start) -> None:
    terminal = start(bash("echo one"), text("| a | b |\n|-|-|\n| 1 | 2 |\n\nOver."), columns=40)
    terminal.ask("Run.")
    terminal.see("never")
    terminal.type("y" + ENTER)
    terminal.see("Over.")
    assert "…" not in terminal.text
    assert READY in " ".join(terminal.text.split())
