"""A conversation on a real pseudo-terminal, from the first key to the last."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from minime_core.testing import Gate, Mm, Reply, hold, text, tool_call
from pty_mm import CTRL_D, ENTER, QuickPtyMm

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
