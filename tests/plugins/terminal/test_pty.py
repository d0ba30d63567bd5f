"""A conversation on a real pseudo-terminal, from the first key to the last."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

import pytest

from minime_core.testing import Gate, Mm, Reply, finish, hold, text, tool_call
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


def test_the_line_after_a_turn_tells_what_it_cost_zero_too(start: Start, mm: Mm) -> None:
    usage = {
        "prompt_tokens": 2000,
        "completion_tokens": 30,
        "prompt_tokens_details": {"cached_tokens": 1500},
    }
    timings = {"cache_n": 1500, "prompt_n": 500, "prompt_ms": 250.0, "prompt_per_second": 2000.0}
    timings |= {"predicted_n": 30, "predicted_ms": 1000.0, "predicted_per_second": 30.0}
    answer = text("Yes.") + finish(usage=usage, timings=timings)
    terminal = start(answer, bash("true"), text("Done."), options=("--yolo",), columns=140)
    terminal.ask("Is it?")
    terminal.see("skills")
    (line,) = [row for row in terminal.rows() if "skills" in row]
    assert re.fullmatch(
        r"\d+\.\d s · 2\.0k tokens in \(75 % cached, 2000/s\) · 30 out · 30\.0 tokens/s · "
        r"window 2\.0k/4\.1k · ⚙ 0 commands · 📖 0 skills",
        line.replace("⚙  ", "⚙ ").replace("📖  ", "📖 "),
    )
    terminal.see_prompt()
    terminal.ask("Run it.")
    terminal.see("⚙ 1 command · 📖 0 skills")


@pytest.mark.parametrize("widths", [(70, 90, 110, 130), (100, 70, 50, 140)])
def test_a_window_that_is_resized_in_mid_stream_loses_and_doubles_nothing(
    widths: tuple[int, ...], start: Start
) -> None:
    gates = [Gate() for _ in range(4)]
    parts = [[f"w{part}.{n:02}" for n in range(60)] for part in range(5)]
    answer = text(" ".join(parts[0]) + " ")
    for gate, words in zip(gates, parts[1:], strict=True):
        answer += hold(gate) + text(" ".join(words) + " ")
    terminal = start(answer, columns=50)
    terminal.ask("Tell me.")
    for gate, columns, last in zip(gates, widths, parts[:-1], strict=True):
        terminal.see(last[-1])
        terminal.resize(columns, 24)
        gate.open()
    terminal.see("skills")
    shown = re.findall(r"w\d\.\d\d", terminal.text)
    assert len(shown) == len(set(shown))
    assert shown[-60:] == parts[-1]
    if list(widths) == sorted(widths):
        # When it becomes narrower, pyte cuts what stands there; it does not wrap rows anew.
        assert shown == [word for words in parts for word in words]
    assert "Writing" not in terminal.text


@pytest.mark.full
def test_ten_thousand_lines_of_an_answer_arrive_in_order_and_are_written_once(
    start: Start,
) -> None:
    lines = "\n".join(f"line {n}" for n in range(10_000))
    terminal = start(text(f"```\n{lines}\n```\nfinished", chunks=200))
    terminal.ask("All of it.")
    terminal.see("finished")
    shown = [int(n) for n in re.findall(r"line (\d+)\b", terminal.text)]
    assert shown == list(range(10_000))
    assert len(terminal.written) < 1.3 * len(lines)


def test_ten_thousand_lines_of_a_tool_are_a_few_rows(start: Start) -> None:
    terminal = start(bash("seq 10000"), text("Done."), options=("--yolo",))
    terminal.ask("Count.")
    terminal.see("Done.")
    assert "  │ 1\n  │ 2\n" in terminal.text
    assert re.search(r"│ … [\d,]+ more lines", terminal.text)
    assert len(terminal.rows()) < 40
    assert len(terminal.written) < 20_000


def test_wide_characters_leave_tables_straight_and_rows_whole(start: Start) -> None:
    cells = ["plain", "日本語", "👍", "e\u0301te\u0301", "한국어 ok", "\uff46\uff55ll", "Ж"]
    table = "| name | Q |\n|---|---|\n" + "".join(f"| {cell} | Q |\n" for cell in cells)
    wide = "日本語の文章 👍 " * 10
    terminal = start(text(f"{table}\n{wide}\n\nbelow"), columns=40, lines=50)
    terminal.ask("Wide.")
    terminal.see("below")
    columns = terminal.columns_of("Q")
    assert len(columns) == len(cells) + 1
    assert len(set(columns)) == 1
    # pyte keeps an empty cell behind each wide character.
    shown = "".join(terminal.text.split())
    assert shown.count("日本語の文章") == 10


@pytest.mark.parametrize("term", ["xterm-256color", "dumb"])
def test_forty_columns_are_enough(term: str, start: Start) -> None:
    address = "https://example.org/a/rather/long/path/to/some/page.html"
    answer = f"| a | b |\n|-|-|\n| 1 | 2 |\n\nSee [this]({address}).\n\nOver."
    terminal = start(bash("echo one"), text(answer), columns=40, env={"TERM": term})
    enter = "\n" if term == "dumb" else ENTER
    terminal.type("Run." + enter)
    terminal.see("[e]dit?")
    terminal.type("y" + enter)
    terminal.see("Over.")
    terminal.see("skills")
    terminal.type("/help" + enter)
    terminal.see("with a skill.")
    rows = terminal.rows()
    assert "…" not in terminal.text
    assert f"this({address})." in "".join(row for row in rows).replace(" ", "")
    # Neither a word nor a fact is cut where there is room for it in the next row.
    assert "/undo      take back the last question" in rows
    assert "           and what its tools wrote" in rows
    assert not [row for row in rows if row.startswith("·") or row.endswith("·")]
    assert READY in " ".join(terminal.text.split())


def test_a_dumb_terminal_gets_text_alone(start: Start) -> None:
    terminal = start(text("A **plain** answer."), env={"TERM": "dumb"})
    terminal.type("Tell me.\n")
    terminal.see("plain")
    terminal.see_prompt()
    terminal.type(CTRL_D)
    assert terminal.end() == 0
    assert b"\x1b" not in terminal.written


def test_no_color_means_no_colour(start: Start) -> None:
    answer = text("# Head\n\nA `code`.\n\n```python\nx = 1\n```")
    terminal = start(bash("false"), answer, env={"NO_COLOR": "1"})
    terminal.ask("Tell me.")
    terminal.see("[e]dit?")
    terminal.type("y" + ENTER)
    terminal.see("A `code`.")
    terminal.see_prompt()
    terminal.type("/")
    terminal.see("/help")
    assert not re.search(rb"\x1b\[(?:\d+;)*[349][0-7](?:;\d+)*m", terminal.written)
