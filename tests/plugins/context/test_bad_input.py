"""Windows and messages of impossible sizes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from minime_context.budget import divide
from minime_context.shortening import shortened
from minime_core.errors import ContextOverflow
from minime_core.messages import Message
from minime_core.testing.simulation import FileReader, SimulatedServer


def test_a_window_smaller_than_the_fixed_prompt_is_told_before_anything_is_sent(
    open_chat: Any, make_model: Any
) -> None:
    model = make_model("Hi.", window=512)
    chat = open_chat(model, system="Read this carefully. " * 400)
    done = chat.ask("Hello?")
    assert isinstance(done.error, ContextOverflow)
    assert model.requests == []
    assert "does not fit the model's window of 512" in str(done.error)
    assert "system prompt 2," in str(done.error)


def test_where_it_may_just_fit_the_server_decides(open_chat: Any, make_model: Any) -> None:
    model = make_model("Hi.", window=1100)
    chat = open_chat(model, system="Read this carefully. " * 200, tools=())
    assert chat.ask("Hello?").text == "Hi."


def test_a_question_larger_than_the_window_is_shortened_and_that_is_said(
    open_chat: Any, make_model: Any
) -> None:
    model = make_model("Hi.", window=4096)
    chat = open_chat(model)
    done = chat.ask("Begin. " + "middle " * 20_000 + "End.")
    assert done.reason == "answered"
    (request,) = model.requests
    assert model.counts(request).prompt_tokens < 4096
    asked = request.messages[-1].text
    assert asked.startswith("Begin. middle")
    assert asked.endswith("middle End.")
    assert any("your message was too long for the window" in n for n in chat.notices)


def test_a_message_of_ten_megabytes_is_sent_in_what_fits(open_chat: Any, make_model: Any) -> None:
    model = make_model("Hi.", window=4096)
    chat = open_chat(model)
    assert chat.ask("x" * 10_000_000).reason == "answered"
    assert model.counts(model.requests[0]).prompt_tokens < 4096


def test_a_file_of_one_line_of_ten_megabytes_leaves_room(
    open_chat: Any, make_model: Any, make_call: Any, tmp_path: Path
) -> None:
    (tmp_path / "big.txt").write_text("word " * 2_000_000)
    calls = [
        make_call("read_file", path="big.txt"),
        make_call("bash", command="cat big.txt"),
    ]
    model = make_model(*calls * 4, "It is one long line.", window=4096)
    chat = open_chat(model, plugins=("builtin_tools", "context"), tools=())
    assert chat.ask("What is in it?").text == "It is one long line."
    assert all(model.counts(r).prompt_tokens < 4096 for r in model.requests)


@pytest.mark.parametrize("window", [1, 10, 100, 600])
def test_a_tiny_window_ends_in_an_error_and_not_in_a_loop(
    open_chat: Any, home: Path, window: int
) -> None:
    folder = Path(__file__).parent
    server = SimulatedServer(FileReader(folder, seed=1), window=window)
    chat = open_chat(server, plugins=("builtin_tools", "prompt", "context"), tools=())
    for _ in range(3):
        done = chat.ask("Hello?")
        assert isinstance(done.error, ContextOverflow)
    assert len(server.requests) <= 6


@given(
    st.integers(1, 1 << 20),
    st.integers(0, 1 << 20),
    st.integers(10, 1000),
    st.integers(50, 1 << 20),
)
def test_any_window_is_divided_in_order(
    window: int, fixed: int, threshold: int, summary: int
) -> None:
    budget = divide(window, fixed, threshold=threshold, summary=summary)
    assert 0 <= budget.trigger <= budget.limit <= window
    assert budget.low <= budget.settled
    assert budget.summary <= window // 8
    if fixed < budget.trigger:
        assert fixed <= budget.low <= budget.settled <= budget.trigger


@settings(
    suppress_health_check=[
        HealthCheck.large_base_example,
        HealthCheck.data_too_large,
        HealthCheck.too_slow,
    ]
)
@given(st.text(max_size=3000), st.integers(0, 20_000))
def test_a_message_becomes_shorter_or_stays(text: str, less: int) -> None:
    message = Message(role="user", text=text)
    short = shortened(message, less)
    if short is not None:
        assert len(short.text.encode()) < len(message.text.encode())
        assert short.role == "user"
