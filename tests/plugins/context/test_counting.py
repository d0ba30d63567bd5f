"""What answers and refusals tell, and what the user hears of it."""

from __future__ import annotations

import re
from typing import Any

import pytest

from minime_context.state import state_of
from minime_core.events import ContextUsage, MessageDone
from minime_core.messages import Message, Timings, Usage


def answer(usage: Usage = Usage(), timings: Timings = Timings(), text: str = "Hi.") -> MessageDone:
    message = Message(role="assistant", text=text)
    return MessageDone(message=message, usage=usage, timings=timings, finish_reason="stop")


def test_the_figures_are_told_after_each_answer(open_chat: Any, make_model: Any) -> None:
    timings = Timings(
        prompt_tokens=400, prompt_ms=2000.0, generated_tokens=50, generation_ms=2500.0
    )
    usage = Usage(prompt_tokens=1000, completion_tokens=50, cached_tokens=600)
    chat = open_chat(make_model(answer(usage, timings)))
    chat.ask()
    assert chat.usage == ContextUsage(
        used=1050,
        window=4096,
        cached_share=0.6,
        prefill_per_second=200.0,
        generation_per_second=20.0,
    )


def test_what_the_server_does_not_tell_is_none_and_never_zero(
    open_chat: Any, make_model: Any
) -> None:
    chat = open_chat(make_model(answer(), window=None))
    chat.ask()
    assert chat.usage.used > 0
    figures = chat.usage
    assert figures.window is figures.cached_share is None
    assert figures.prefill_per_second is figures.generation_per_second is None


def test_a_speed_is_taken_from_more_than_a_few_tokens_and_kept(
    open_chat: Any, make_model: Any
) -> None:
    fast = Timings(prompt_tokens=400, prompt_ms=400.0, generated_tokens=100, generation_ms=1000.0)
    few = Timings(prompt_tokens=1, prompt_ms=300.0, generated_tokens=3, generation_ms=900.0)
    usage = Usage(prompt_tokens=300)
    chat = open_chat(make_model(answer(usage, fast), answer(usage, few)))
    chat.ask()
    chat.ask()
    assert chat.usage.prefill_per_second == 1000.0
    assert chat.usage.generation_per_second == 100.0


def test_the_figures_can_be_turned_off(open_chat: Any, make_model: Any) -> None:
    chat = open_chat(make_model("Hi."), context={"show_stats": False})
    chat.ask()
    assert not any(isinstance(event, ContextUsage) for event in chat.events)


@pytest.mark.parametrize("tokens", [-7, 0, 5000])
def test_a_count_that_cannot_be_is_said_once_and_ignored(
    open_chat: Any, make_model: Any, tokens: int
) -> None:
    chat = open_chat(make_model(answer(Usage(prompt_tokens=tokens))))
    chat.ask("x" * 3500)
    (notice,) = chat.notices
    assert f"the server counts {tokens:,} tokens" in notice
    assert 1000 < chat.usage.used < 1500
    chat.ask()
    assert chat.notices == []


def test_a_prompt_that_was_cut_without_a_word_is_told_with_the_cure(
    open_chat: Any, make_model: Any
) -> None:
    model = make_model("Hi.", answer(Usage(prompt_tokens=2050)), "Hi.", window=None)
    chat = open_chat(model, context_window=32_768)
    chat.ask()
    chat.ask("word " * 6000)
    (notice,) = chat.notices
    assert re.match(r"the server read 2,050 of about [78],\d{3} tokens: it cut", notice)
    assert "it cut off the beginning" in notice
    assert notice.endswith("`serve --window 16384` sets it")
    window = state_of(chat.session).measures.window
    assert (window.tokens, window.origin) == (4100, "what the server left of a prompt")
    # What is sent from now on fits.
    chat.ask()
    assert state_of(chat.session).context.room.used() < 4100
    assert not any("cut off" in notice for notice in chat.notices)


def test_a_long_first_prompt_is_counted_by_the_server(open_chat: Any, make_model: Any) -> None:
    model = make_model("Hi.")
    chat = open_chat(model)
    chat.ask("Short?")
    assert model.counted == []
    model = make_model("Hi.")
    chat = open_chat(model)
    chat.ask("long " * 1600)
    assert len(model.counted) == 1
    chat.ask("long " * 100)
    assert len(model.counted) == 1


def used(chat: Any) -> int:
    return state_of(chat.session).context.room.used()


def test_a_resumed_session_goes_on_with_the_last_count(open_chat: Any, make_model: Any) -> None:
    # As where the server puts a long text into each prompt that is not ours.
    model = make_model(answer(Usage(prompt_tokens=2000, completion_tokens=5)))
    chat = open_chat(model)
    chat.ask("One?")
    chat.ask("Two?")
    before = used(chat)
    chat.close()
    again = open_chat(model, resume="")
    assert 2000 < used(again) == before
    assert "estimates" not in again.command("context")


def test_a_resumed_session_knows_how_long_a_token_is(open_chat: Any, make_model: Any) -> None:
    model = make_model("Yes.", window=1 << 20)
    # Two bytes a token, behind a long text that the server puts before all of it.
    model.counts = lambda r: Usage(prompt_tokens=900 + sum(len(m.text) for m in r.messages) // 2)
    chat = open_chat(model)
    for _ in range(5):
        chat.ask("word " * 400)
    chat.close()
    again = open_chat(model, resume="")
    assert state_of(again.session).measures.meter.bytes_per_token == pytest.approx(2, abs=0.15)


@pytest.mark.parametrize("tokens", [-1, 0, 1, 10**15])
def test_a_stored_count_that_cannot_be_is_not_taken(
    open_chat: Any, make_model: Any, tokens: int
) -> None:
    chat = open_chat(make_model(answer(Usage(prompt_tokens=tokens))))
    chat.ask("word " * 200)
    chat.close()
    again = open_chat(make_model("Hi."), resume="")
    assert 250 < used(again) < 600
    assert again.notices == []


def test_a_count_from_before_a_rewrite_is_not_taken(open_chat: Any, make_model: Any) -> None:
    model = make_model(answer(Usage(prompt_tokens=2000)))
    chat = open_chat(model)
    chat.ask("One?")
    chat.command("compact")
    chat.close()
    assert used(open_chat(model, resume="")) < 1000


def test_an_answer_is_given_what_is_left_of_the_window(open_chat: Any, make_model: Any) -> None:
    model = make_model("Hi.")
    chat = open_chat(model, max_tokens=3900)
    chat.ask("Short?")
    chat.ask("long " * 500)
    chat.ask()
    given = [request.max_tokens for request in model.requests]
    assert given[0] == 3900 > given[1]
    taken = [model.counts(request).prompt_tokens for request in model.requests]
    assert all(a + b <= 4096 for a, b in zip(given, taken, strict=True))
    assert given[2] + taken[2] > 3900


def test_an_answer_that_ran_into_the_end_of_the_window_is_told_of_as_such(
    open_chat: Any, make_model: Any
) -> None:
    cut = MessageDone(message=Message(role="assistant", text="Half of"), finish_reason="length")
    model = make_model(cut)
    chat = open_chat(model, plugins=("guards", "context"), max_tokens=3900)
    chat.ask("long " * 500)
    (request,) = model.requests
    left = f"the end of the window ({request.max_tokens} tokens were left)"
    told = next(notice for notice in chat.notices if "cut off" in notice)
    assert told.startswith(f"the answer was cut off at {left}: give the server a larger window")
    chat = open_chat(make_model(cut, window=100_000), plugins=("guards", "context"))
    chat.ask()
    assert any("cut off at max_tokens (4096): raise max_tokens" in n for n in chat.notices)


def test_what_is_asked_for_stays_when_it_fits(open_chat: Any, make_model: Any) -> None:
    for window in (None, 100_000):
        model = make_model("Hi.", window=window)
        open_chat(model, max_tokens=3900).ask("long " * 500)
        assert model.requests[0].max_tokens == 3900
