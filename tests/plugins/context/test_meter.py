from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from minime_context.meter import LEAST_RATIO, MOST_RATIO, Meter
from minime_context.sizes import Sizes, text_bytes
from minime_core.messages import Message, ToolCall

sizes = st.integers(0, 10**9)
counts = st.integers(-5, 10**9)


def learn(meter: Meter, size: int, tokens: int, window: int | None = None) -> str:
    return meter.learn(size, tokens, window, may_cut=True)


def test_before_anything_is_counted_tokens_are_estimated() -> None:
    assert Meter().tokens(3500) == 1000


def test_a_request_is_the_last_count_and_an_estimate_of_what_came_since() -> None:
    meter = Meter()
    assert learn(meter, 4000, 1000) == "good"
    assert meter.tokens(4000) == 1000
    assert meter.tokens(4400) == 1100
    assert meter.tokens(3600) == 900


def test_how_long_a_token_is_is_learnt_from_what_was_added() -> None:
    meter = Meter()
    learn(meter, 4000, 1000)
    for step in range(1, 12):
        learn(meter, 4000 + 1000 * step, 1000 + 500 * step)
    assert 2.0 <= meter.bytes_per_token < 2.1


def test_what_is_too_little_to_tell_is_not_learnt_from() -> None:
    meter = Meter()
    learn(meter, 4000, 1000)
    learn(meter, 4010, 1010)
    assert meter.bytes_per_token == 4.0
    assert meter.tokens(4010) == 1010


def test_counts_that_cannot_be_are_ignored() -> None:
    meter = Meter()
    for tokens in (0, -1, 5000):
        assert learn(meter, 4000, tokens, window=4096) == "absurd"
    assert not meter.is_exact
    assert meter.tokens(3500) == 1000


def test_half_of_a_window_is_what_a_server_leaves_that_cuts() -> None:
    assert learn(Meter(), 40_000, 2050) == "truncated"
    meter = Meter()
    learn(meter, 12_000, 3500)
    assert learn(meter, 16_000, 2050) == "truncated"
    assert meter.tokens(12_000) == 3500


def test_a_server_that_counts_what_was_not_cached_is_not_believed() -> None:
    meter = Meter()
    learn(meter, 12_000, 3500)
    assert learn(meter, 12_500, 150) == "absurd"
    assert meter.tokens(12_000) == 3500


def test_a_server_that_refuses_does_not_cut() -> None:
    assert Meter().learn(40_000, 2050, None, may_cut=False) == "good"


def test_a_conversation_that_became_shorter_was_not_cut() -> None:
    meter = Meter()
    learn(meter, 12_000, 3500)
    assert learn(meter, 6_000, 1750) == "good"


@given(st.lists(st.tuples(sizes, counts, st.booleans()), max_size=8), sizes)
def test_an_estimate_is_a_number_whatever_a_server_counts(
    steps: list[tuple[int, int, bool]], size: int
) -> None:
    meter = Meter()
    for request, tokens, may_cut in steps:
        meter.learn(request, tokens, None, may_cut=may_cut)
        assert LEAST_RATIO <= meter.bytes_per_token <= MOST_RATIO
    assert meter.tokens(size) >= 0
    meter.correct(size, max((tokens for _, tokens, _ in steps), default=0))
    assert meter.tokens(size) <= max(size, 1)


@given(st.text())
def test_the_size_of_a_text_is_its_bytes(text: str) -> None:
    clean = Message(role="user", text=text).text
    assert text_bytes(clean) == len(clean.encode())


def test_a_message_is_measured_with_its_calls_and_once() -> None:
    plain = Message(role="assistant", text="é")
    calling = Message(
        role="assistant", text="é", calls=(ToolCall(name="bash", arguments={"command": "ls"}),)
    )
    measure = Sizes()
    assert measure.of([plain]) == measure.of_message(plain) == 18
    assert measure.of([plain, calling]) == 18 + 18 + len('bash{"command": "ls"}')
