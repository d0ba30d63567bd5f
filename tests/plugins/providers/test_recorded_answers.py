"""The recorded bodies of a real llama-server, cut in every way, give the same events."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minime_core.errors import ContextOverflow, ProviderError, RequestRefused, ServerFault
from minime_core.events import (
    Heartbeat,
    MessageDone,
    ModelEvent,
    PromptProgress,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
)
from minime_core.messages import Timings, Usage
from minime_core.testing.replies import trace
from minime_providers.answer import AnswerReader, together
from minime_providers.causes import Explainer
from minime_providers.presets import PRESETS

FOLDER = Path(__file__).parents[2] / "traces"
TRACES = {path.stem: path.read_bytes() for path in sorted(FOLDER.glob("*.sse"))}
STREAMS = [name for name in TRACES if not name.startswith("error_")]
EXPLAIN = Explainer(preset=PRESETS["llamacpp"], url="http://127.0.0.1:8080/v1")

CUTS = st.lists(st.integers(0, 50_000), max_size=30)


def events_of(body: bytes) -> list[ModelEvent]:
    """Return the events of a whole body. Raises ProviderError."""
    reader = AnswerReader(EXPLAIN, "local-model")
    return [*reader.feed(body), *reader.end()]


def read(chunks: list[bytes]) -> list[ModelEvent | str]:
    """Return the events of a body, and what it fails with."""
    reader = AnswerReader(EXPLAIN, "local-model")
    events: list[ModelEvent | str] = []
    try:
        for chunk in chunks:
            events += reader.feed(chunk)
        return [*events, *reader.end()]
    except ProviderError as error:
        return [*events, f"{type(error).__name__}: {error}"]


def without_heartbeats(events: list[ModelEvent | str]) -> list[ModelEvent | str]:
    # A document that comes in many chunks beats once for each of them.
    return [event for event in events if event != Heartbeat()]


@pytest.mark.parametrize("name", TRACES)
@settings(deadline=None, max_examples=25)
@given(cuts=CUTS)
def test_chunking_changes_nothing(name: str, cuts: list[int]) -> None:
    body = TRACES[name]
    bounds = [0, *sorted(cut % (len(body) + 1) for cut in cuts), len(body)]
    chunks = [body[start:stop] for start, stop in pairwise(bounds)]
    whole, cut = read([body]), read(chunks)
    assert without_heartbeats(cut) == without_heartbeats(whole)


@pytest.mark.parametrize("name", ["text", "tool_calls_parallel_wrong_args_gemma4"])
def test_single_bytes_change_nothing(name: str) -> None:
    body = TRACES[name]
    assert read([bytes([byte]) for byte in body]) == read([body])


@pytest.mark.parametrize("name", STREAMS)
def test_crlf_changes_nothing(name: str) -> None:
    assert read([TRACES[name].replace(b"\n", b"\r\n")]) == read([TRACES[name]])


def answer_of(name: str) -> MessageDone:
    last = read([TRACES[name]])[-1]
    assert isinstance(last, MessageDone)
    return last


def test_counts_and_progress_are_read() -> None:
    name = "text_usage_timings_progress"
    done = answer_of(name)
    assert done.usage == Usage(prompt_tokens=24, completion_tokens=40, cached_tokens=23)
    assert done.timings == Timings(
        prompt_tokens=1, prompt_ms=64.291, generated_tokens=40, generation_ms=2861.889
    )
    progress = [event for event in read([TRACES[name]]) if isinstance(event, PromptProgress)]
    assert progress == [PromptProgress(23, 24, 23), PromptProgress(24, 24, 23)]


def test_timings_without_usage_are_read() -> None:
    done = answer_of("text")
    assert done.usage == Usage(cached_tokens=0)
    assert done.timings.generated_tokens == 40


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("text_cut_by_max_tokens", "length"),
        ("reasoning_cut_qwen35", "length"),
        ("tool_call_gpt_oss", "tool_calls"),
        ("tool_call_cut_by_max_tokens_gemma4", "length"),
    ],
)
def test_the_reason_of_the_end_is_told(name: str, reason: str) -> None:
    assert answer_of(name).finish_reason == reason


@pytest.mark.parametrize("name", STREAMS)
def test_what_is_shown_is_what_is_kept(name: str) -> None:
    events = read([TRACES[name]])
    done = answer_of(name)
    texts = [event.text for event in events if isinstance(event, TextDelta)]
    thoughts = [event.text for event in events if isinstance(event, ThinkingDelta)]
    assert ("".join(texts), "".join(thoughts)) == (done.message.text, done.message.thinking)
    calls: dict[int, str] = {}
    for event in events:
        if isinstance(event, ToolCallDelta):
            calls[event.index] = calls.get(event.index, "") + event.arguments
    assert len(calls) == len(done.message.calls)


def test_thinking_is_not_text() -> None:
    message = answer_of("reasoning_cut_qwen35").message
    assert message.thinking
    assert not message.text


def test_a_call_in_fragments_is_whole() -> None:
    [call] = answer_of("tool_call_gpt_oss").message.calls
    assert call.name in ("bash", "read_file")
    assert call.raw is None
    assert call.arguments


def test_several_calls_stay_apart() -> None:
    calls = answer_of("tool_calls_parallel_wrong_args_gemma4").message.calls
    assert len(calls) > 1
    assert all(call.name for call in calls)
    # All but the last, which max_tokens cut, are objects.
    assert all(call.raw is None for call in calls[:-1])


def test_a_call_that_was_cut_keeps_what_was_written() -> None:
    call = answer_of("tool_call_cut_by_max_tokens_gemma4").message.calls[-1]
    assert call.raw is not None
    assert call.raw.startswith("{")
    assert call.arguments == {}


@pytest.mark.parametrize("name", STREAMS)
def test_the_events_are_the_same_over_sockets(name: str, ask: Callable[..., Any]) -> None:
    answer = ask(trace(TRACES[name]).split(700))
    assert [*together(answer.events)] == [*together(events_of(TRACES[name]))]


SOME_EVENTS = st.sampled_from([TextDelta("a"), TextDelta("b"), ThinkingDelta("c"), Heartbeat()])


@given(st.lists(SOME_EVENTS))
def test_joining_what_arrived_at_once_changes_no_text_and_no_order(
    events: list[ModelEvent],
) -> None:
    def letters(some: Iterable[ModelEvent]) -> list[tuple[type[ModelEvent], str]]:
        return [(type(e), letter) for e in some for letter in getattr(e, "text", "-")]

    joined = [*together(events)]
    assert letters(joined) == letters(events)
    assert all(a is not b or a is Heartbeat for a, b in pairwise(map(type, joined)))


ERRORS: dict[str, tuple[type[ProviderError], str]] = {
    "error_400_context_overflow": (
        ContextOverflow,
        "the request (6031 tokens) is longer than the model's window (4096 tokens): start the "
        "server with a larger one, or begin anew",
    ),
    "error_400_roles_must_alternate": (
        RequestRefused,
        "the model's chat template refuses this conversation: After the optional system message, "
        "conversation roles must alternate user/assistant/user/assistant/...",
    ),
    "error_400_tool_call_id_not_9_alnum": (
        RequestRefused,
        "the model's chat template refuses this conversation: Tool call IDs should be "
        "alphanumeric strings with length 9!",
    ),
    "error_500_bad_arguments_in_history": (
        RequestRefused,
        "the server cannot read a tool call in the conversation: Failed to parse tool call "
        "arguments as JSON: [json.exception.parse_error.101] parse error at line 1, column 16: "
        "syntax error while parsing value - invalid string: missing closing quote; last read: "
        "'\"ls'",
    ),
    "error_500_late_system_message": (
        RequestRefused,
        "the model's chat template refuses this conversation: System message must be at the "
        "beginning.",
    ),
    "error_midstream_gpt_oss": (
        ServerFault,
        "{url} failed while it answered: The model produced output that does not match the "
        "expected peg-native format",
    ),
}


def test_all_recorded_errors_are_explained() -> None:
    assert set(ERRORS) == set(TRACES) - set(STREAMS)


@pytest.mark.parametrize("name", ERRORS)
def test_a_recorded_error_is_one_line_with_its_cause(
    name: str, ask: Callable[..., Any], server: Any
) -> None:
    kind, text = ERRORS[name]
    with pytest.raises(kind) as caught:
        ask(trace(TRACES[name]))
    assert type(caught.value) is kind
    assert str(caught.value) == text.format(url=server.base_url)
    assert (caught.value.provider, caught.value.model) == ("llamacpp", "local-model")
    assert len(server.chat_requests) == 1
