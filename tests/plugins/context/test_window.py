"""How large the window is: told, asked for again, or seen; and what happens while it is unknown."""

from __future__ import annotations

from typing import Any

import pytest

from minime_context.state import state_of
from minime_core.errors import ConnectionFailed, StatusError
from minime_terminal.greeting import greeting
from minime_terminal.painter import Painter
from terminal_screen import Out


def window(chat: Any) -> tuple[int | None, str]:
    known = state_of(chat.session).measures.window
    return known.tokens, known.origin


def test_the_server_tells_it(open_chat: Any, make_model: Any) -> None:
    model = make_model("Hi.")
    chat = open_chat(model)
    assert window(chat) == (4096, "its page")
    chat.ask()
    chat.ask()
    assert model.asked == 1
    assert chat.usage.window == 4096


def test_a_conversation_begins_with_its_size_and_who_told_it(
    open_chat: Any, make_model: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")

    def begun(**options: Any) -> str:
        return greeting(open_chat(make_model("Hi."), **options).session, Painter(Out("utf-8")))[0]

    assert "window 4.1k by its page" in begun()
    assert "window 2.0k by context_window" in begun(context_window=2000)


def test_the_settings_tell_it(open_chat: Any, make_model: Any) -> None:
    chat = open_chat(make_model("Hi.", window=None), context_window=2000)
    assert window(chat) == (2000, "context_window in test")
    chat.ask()
    assert chat.usage.window == 2000
    assert chat.notices == []


def test_a_server_that_came_up_later_is_asked_again(open_chat: Any, make_model: Any) -> None:
    model = make_model("Hi.")
    model.down = ConnectionFailed("down")
    chat = open_chat(model)
    assert window(chat) == (None, "")
    model.down = None
    chat.ask()
    assert window(chat) == (4096, "its page")
    assert chat.notices == []
    assert model.asked == 2


def test_a_server_that_loads_its_model_with_the_first_request_is_asked_after_it(
    open_chat: Any, make_model: Any
) -> None:
    model = make_model("Hi.", window=None)
    chat = open_chat(model)
    model.window = 8192
    chat.ask()
    assert chat.usage.window == 8192
    assert chat.notices == []


@pytest.mark.parametrize("error", [ConnectionFailed("gone"), StatusError("busy", status=503)])
def test_a_server_that_does_not_say_is_no_failure(
    open_chat: Any, make_model: Any, error: Exception
) -> None:
    model = make_model("Hi.", window=None)
    chat = open_chat(model)
    model.down = error
    assert chat.ask().text == "Hi."


def test_that_it_is_unknown_is_said_once_with_the_command(open_chat: Any, make_model: Any) -> None:
    model = make_model("Hi.", window=None)
    chat = open_chat(model)
    chat.ask()
    (notice,) = chat.notices
    assert "window is unknown" in notice
    assert "set context_window (`serve --window 16384` sets it)" in notice
    assert chat.usage.window is None
    chat.ask()
    assert chat.notices == []
    assert model.asked == 2


def test_without_a_window_room_is_made_by_the_number_of_messages(
    open_chat: Any, make_model: Any
) -> None:
    model = make_model("Hi.", window=None)
    chat = open_chat(model, context={"max_messages": 20, "keep_last_turns": 2})
    for number in range(40):
        chat.ask(f"Question {number}?")
        assert len(chat.view) <= 22
    summaries = [r for r in model.requests if r.tool_choice == "none"]
    assert 1 < len(summaries) < 5
    assert chat.view[-4].text == "Question 38?"


def test_without_a_window_outputs_of_a_long_turn_are_masked_in_batches(
    open_chat: Any, make_model: Any, make_call: Any
) -> None:
    calls = [make_call("bash", command=f"ls {n}", lines=40) for n in range(40)]
    chat = open_chat(make_model(*calls, "Done.", window=None), context={"max_messages": 20})
    assert chat.ask().text == "Done."
    assert chat.rewrites == ["masked outputs"] * 3
    whole = [m for m in chat.view if m.role == "tool" and "line 7" in m.text]
    assert 10 <= len(whole) <= 20
