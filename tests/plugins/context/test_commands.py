"""`/compact` and `/context`."""

from __future__ import annotations

from typing import Any

import pytest

from minime_context.conversation import split_summary


def test_compact_puts_a_summary_in_the_place_of_all_but_the_last_questions(
    open_chat: Any, make_model: Any
) -> None:
    model = make_model("Hi.")
    chat = open_chat(model)
    for number in range(5):
        chat.ask(f"Question {number}?")
    model.answers = ["They greeted."]
    shown = chat.command("compact")
    assert "summarising 2 earlier questions" in shown
    assert "summarised: about " in shown
    questions = [m.text for m in chat.view if m.role == "user"]
    assert split_summary(questions[0])[0] == "They greeted."
    assert questions[1:] == ["Question 2?", "Question 3?", "Question 4?"]
    assert model.requests[-1].tool_choice == "none"


@pytest.mark.parametrize(("asked", "left"), [(1, 0), (2, 1), (3, 1), (4, 3)])
def test_compact_does_something_whenever_something_was_asked(
    open_chat: Any, make_model: Any, asked: int, left: int
) -> None:
    model = make_model("Hi.")
    chat = open_chat(model)
    for number in range(asked):
        chat.ask(f"Question {number}?")
    chat.command("compact")
    questions = [m.text for m in chat.view if m.role == "user"]
    assert len(questions) == left + 1
    assert chat.ask("And now?").reason == "answered"


def test_compact_with_nothing_to_do_says_so(open_chat: Any, make_model: Any) -> None:
    model = make_model("Hi.")
    chat = open_chat(model)
    assert chat.command("compact") == "There is nothing to summarise yet."
    assert model.requests == []
    chat.ask("One?")
    chat.command("compact")
    assert chat.command("compact") == "There is nothing to summarise yet."


def test_compact_passes_on_what_matters(open_chat: Any, make_model: Any) -> None:
    model = make_model("Hi.")
    chat = open_chat(model)
    chat.ask("One?")
    chat.command("compact", "the names of files")
    asked = model.requests[-1].messages[-1].text
    assert asked.startswith("Summarise our conversation")
    assert "What matters most: the names of files" in asked


def test_compact_works_with_the_plugin_turned_off(open_chat: Any, make_model: Any) -> None:
    chat = open_chat(make_model("Hi."), context={"enabled": False})
    chat.ask("One?")
    assert "summarised" in chat.command("compact")


def test_a_summary_survives_the_next_compact(open_chat: Any, make_model: Any) -> None:
    model = make_model("Hi.")
    chat = open_chat(model)
    chat.ask("One?")
    model.answers = ["First part."]
    chat.command("compact")
    chat.ask("Two?")
    model.answers = ["Second part."]
    chat.command("compact")
    assert split_summary(chat.view[1].text)[0] == "First part.\n\nSecond part."


def rows(markdown: str) -> dict[str, list[str]]:
    """Return the cells of each row of the table, by its first one."""
    lines = [line.strip("| ").split(" | ") for line in markdown.splitlines() if "|" in line]
    return {cells[0]: cells[1:] for cells in lines[2:]}


def test_context_shows_what_fills_the_window(
    open_chat: Any, make_model: Any, make_call: Any
) -> None:
    chat = open_chat(make_model(make_call("bash", command="ls", lines=20), "Done."))
    chat.ask("A question?")
    shown = chat.command("context")
    assert "of 4,096 tokens are taken" in shown
    assert "its page" in shown
    table = rows(shown)
    assert set(table) == {
        "system prompt", "tool `bash`", "questions", "calls", "tool outputs", "answers", "free",
    }  # fmt: skip
    taken = sum(int(cells[0].replace(",", "")) for name, cells in table.items() if name != "free")
    free = int(table["free"][0].replace(",", ""))
    assert abs(taken + free - 4096) <= len(table)


def test_context_before_the_first_answer_is_an_estimate(open_chat: Any, make_model: Any) -> None:
    shown = open_chat(make_model("Hi.")).command("context")
    assert shown.endswith("The server has counted nothing yet: all numbers are estimates.")


def test_context_tells_masked_outputs_and_summaries_apart(
    open_chat: Any, make_model: Any, make_call: Any
) -> None:
    model = make_model("Hi.", window=3000)
    chat = open_chat(model, max_output=16_000)
    for n in range(10):
        model.answers = [make_call("bash", command=f"run {n}", lines=60), f"Answer {n}."]
        chat.ask(f"Question {n}?")
    assert "tool outputs, masked" in rows(chat.command("context"))
    model.answers = ["A summary."]
    chat.command("compact")
    assert "questions and summaries" in rows(chat.command("context"))


def test_context_says_that_the_window_is_unknown(open_chat: Any, make_model: Any) -> None:
    chat = open_chat(make_model("Hi.", window=None))
    assert "the size of the window is unknown" in chat.command("context")
    assert "free" not in rows(chat.command("context"))
