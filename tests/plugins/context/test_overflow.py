"""The server finds a request too long: room is made by what it says, and it is asked once more."""

from __future__ import annotations

from typing import Any

import pytest

from minime_context.state import state_of
from minime_core.errors import ContextOverflow
from minime_core.events import TextDelta
from minime_core.models import ModelRequest

TOO_LONG = ContextOverflow("too long", needed=6000, window=4000, provider="model", model="m")


def text_of(request: ModelRequest) -> str:
    return "".join(message.text for message in request.messages)


@pytest.fixture
def filled(open_chat: Any, make_model: Any, make_call: Any) -> tuple[Any, Any]:
    """A session with some outputs, with a server that told a window it does not have."""
    model = make_model("Hi.", window=32_768)
    chat = open_chat(model, max_output=16_000, max_tokens=500)
    for number in range(6):
        model.answers = [make_call("bash", command=f"run {number}", lines=60), f"Answer {number}."]
        chat.ask(f"Question {number}?")
    assert chat.rewrites == []
    model.requests.clear()
    return chat, model


def test_old_outputs_are_masked_and_the_request_sent_once_more(filled: tuple[Any, Any]) -> None:
    chat, model = filled
    model.answers = [TOO_LONG, "It fits."]
    done = chat.ask("And now?")
    assert (done.reason, done.text) == ("answered", "It fits.")
    first, second = model.requests
    assert len(text_of(second)) < len(text_of(first))
    assert second.messages[-1] == first.messages[-1]
    assert chat.rewrites == ["masked outputs"]
    assert any("too long for the server" in notice for notice in chat.notices)


def test_the_window_that_it_names_holds_from_then_on(filled: tuple[Any, Any]) -> None:
    chat, model = filled
    model.answers = [TOO_LONG, "It fits."]
    chat.ask("And now?")
    window = state_of(chat.session).measures.window
    assert (window.tokens, window.origin) == (4000, "the server's refusal")
    assert chat.usage.window == 4000


def test_it_is_sent_once_more_when_nothing_can_be_masked(open_chat: Any, make_model: Any) -> None:
    model = make_model(TOO_LONG, "It fits after all.", window=4096)
    chat = open_chat(model)
    assert chat.ask("Hello?").text == "It fits after all."
    assert len(model.requests) == 2


def test_a_server_that_counts_the_answer_too_is_asked_for_less(
    open_chat: Any, make_model: Any
) -> None:
    def refuse(request: ModelRequest) -> ContextOverflow:
        needed = model.counts(request).prompt_tokens + request.max_tokens
        return ContextOverflow("", needed=needed, window=4096)

    model = make_model("Hi.", refuse, "Fine.", window=8192)
    chat = open_chat(model, max_tokens=4000)
    chat.ask("word " * 700)
    chat.ask("Go on?")
    first, second = model.requests[-2:]
    assert chat.rewrites == []
    assert second.messages == first.messages
    assert second.max_tokens + model.counts(second).prompt_tokens <= 4096


@pytest.mark.parametrize("window", [None, 32_768])
def test_a_refusal_without_numbers_is_enough(
    open_chat: Any, make_model: Any, make_call: Any, window: int | None
) -> None:
    model = make_model("Hi.", window=window)
    chat = open_chat(model, max_output=16_000)
    for number in range(6):
        model.answers = [make_call("bash", command=f"run {number}", lines=90), f"Answer {number}."]
        chat.ask(f"Question {number}?")
    model.answers = [ContextOverflow("", needed=0, window=0), "It fits."]
    model.requests.clear()
    assert chat.ask("And now?").text == "It fits."
    assert len(text_of(model.requests[1])) < 0.8 * len(text_of(model.requests[0]))


def test_a_second_refusal_ends_the_turn_and_says_what_takes_the_room(
    filled: tuple[Any, Any],
) -> None:
    chat, model = filled
    model.answers = [TOO_LONG]
    done = chat.ask("And now?")
    assert done.reason == "failed"
    assert len(model.requests) == 2
    assert isinstance(done.error, ContextOverflow)
    assert (done.error.provider, done.error.model) == ("model", "m")
    text = str(done.error)
    assert "window of 4000" in text
    assert "system prompt" in text
    assert "`serve --window 16384` sets it" in text


def test_the_next_question_is_asked_with_what_was_learnt(filled: tuple[Any, Any]) -> None:
    chat, model = filled
    model.answers = [TOO_LONG, TOO_LONG, "Better."]
    chat.ask("And now?")
    assert chat.ask("Once more?").text == "Better."


def test_after_something_was_shown_nothing_is_asked_again(filled: tuple[Any, Any]) -> None:
    chat, model = filled
    model.answers = [[TextDelta("It began"), TOO_LONG], "Never."]
    assert chat.ask("And now?").reason == "failed"
    assert len(model.requests) == 1


def test_with_the_plugin_turned_off_a_refusal_ends_the_turn(
    open_chat: Any, make_model: Any
) -> None:
    model = make_model(TOO_LONG, "Never.", window=4096)
    chat = open_chat(model, context={"enabled": False})
    assert chat.ask("Hello?").reason == "failed"
    assert len(model.requests) == 1


@pytest.mark.parametrize("needed", [1, 10**12])
def test_numbers_that_cannot_be_do_no_harm(filled: tuple[Any, Any], needed: int) -> None:
    chat, model = filled
    model.answers = [ContextOverflow("", needed=needed, window=4000), "It fits."]
    assert chat.ask("And now?").text == "It fits."
    assert chat.ask("And then?").text == "It fits."
