"""Servers that send what is no answer: one line for the user, bounded memory, never a crash."""

from __future__ import annotations

import asyncio
import gzip
import json
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from minime_core.errors import (
    ConnectionFailed,
    ProtocolError,
    ProviderError,
    RequestRefused,
    ServerFault,
    StatusError,
    StreamCut,
)
from minime_core.events import MessageDone, TextDelta
from minime_core.models import ModelRequest
from minime_core.testing.fault_server import FaultServer
from minime_core.testing.replies import (
    comments,
    crash,
    cut,
    end,
    endless,
    error_event,
    event,
    finish,
    html,
    raw,
    reset,
    stall,
    status,
    text,
)
from minime_core.testing.steps import Reply
from minime_providers import http, openai, sse
from minime_providers.answer import AnswerReader
from minime_providers.causes import Explainer
from minime_providers.presets import PRESETS

Ask = Callable[..., Any]

CUT = "the server broke off in the middle of its answer"


def failure(ask: Ask, reply: Reply, kind: type[ProviderError], **fields: Any) -> str:
    with pytest.raises(kind) as caught:
        ask(reply, **fields)
    assert type(caught.value) in (kind, RequestRefused)
    assert (caught.value.provider, caught.value.model) == ("llamacpp", "local-model")
    line = str(caught.value)
    assert line.isprintable()
    assert len(line) < 700
    return line


def test_a_web_page_is_named_by_its_title(ask: Ask, server: FaultServer) -> None:
    line = failure(ask, html(title="Sign in"), ProtocolError)
    assert line == (
        f"{server.base_url} sent 'Sign in' where an answer was expected: is the base URL right?"
    )


@pytest.mark.parametrize(
    "body",
    [b"Ollama is running", b"{}", b'{"status":"ok"}', b"[]", b"[1]", b'{"choices":[]}', b"{broken"],
)
@pytest.mark.parametrize("content_type", ["text/plain", "application/json", "text/event-stream"])
def test_a_body_that_is_no_answer_is_quoted(ask: Ask, body: bytes, content_type: str) -> None:
    reply = status(200, body, {"Content-Type": content_type})
    with pytest.raises(ProtocolError):
        ask(reply)


@pytest.mark.parametrize(
    "body",
    [
        b"data: {broken\n\n",
        b"data: [1]\n\n",
        b"data: 5\n\n",
        b'data: "text"\n\n',
        b"data: null\n\n",
        b'data: {"choices":[5]}\n\n',
        b'data: {"choices":[null]}\n\n',
        b'data: {"choices":[{"delta":"text"}]}\n\n',
        b'data: {"choices":[{"delta":[1]}]}\n\n',
        b"data: [DONE]\n\n",
        b"data: " + b"[" * 100_000 + b"\n\n",
        b'data: {"choices":[{"delta":{"tool_calls":[{"function":{"arguments":'
        + b"[" * 900
        + b"]" * 900
        + b"}}]}}]}\n\n",
    ],
    ids=lambda body: body[:40].decode(),
)
def test_a_chunk_of_the_wrong_shape_is_refused(ask: Ask, body: bytes) -> None:
    with pytest.raises((ProtocolError, StreamCut)):
        ask(raw(body) + end())


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (text("Hello") + cut(), CUT),
        (text("Hello") + reset(), CUT),
        (text("Hello") + crash(), CUT),
        (text("Hello") + end(), CUT),
        (text("Hello").interrupted(300), CUT),
        (raw(b"") + cut(), CUT),
        (end(), CUT),
        (comments(2) + end(), CUT),
        (raw(b'data: {"choi') + cut(), CUT),
    ],
    ids=[
        "closed",
        "reset",
        "crashed",
        "ended",
        "cut anywhere",
        "closed after the head",
        "ended at once",
        "only comments",
        "half a chunk",
    ],
)
def test_an_answer_that_breaks_off_is_told(ask: Ask, reply: Reply, told: str) -> None:
    assert failure(ask, reply, StreamCut) == told


def test_what_came_before_the_break_was_shown(
    server: FaultServer,
    make_provider: Callable[..., Any],
    make_request: Callable[..., ModelRequest],
) -> None:
    async def run() -> list[str]:
        provider, shown = make_provider(), []
        try:
            async for part in provider.stream(make_request()):
                if isinstance(part, TextDelta):
                    shown.append(part.text)
        except StreamCut:
            return shown
        finally:
            await provider.aclose()
        return []

    server.enqueue(text("Hello there") + raw(b"data: {half") + reset())
    assert "".join(asyncio.run(run())) == "Hello there"


@pytest.mark.parametrize("ending", [cut(), reset(), end()])
def test_a_break_after_the_end_loses_nothing(ask: Ask, ending: Reply) -> None:
    assert ask(text("Hello") + finish(done=False) + ending).message.text == "Hello"


def test_a_server_that_forgets_to_close_is_not_waited_for(
    ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openai, "LINGER", 0.05)
    assert ask(text("Hello") + finish(done=False) + stall()).message.text == "Hello"


def test_comments_without_end_after_the_answer_are_not_waited_for(
    ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openai, "LINGER", 0.05)
    reply = text("Hello") + finish() + endless(comments(1), limit=1 << 40)
    assert ask(reply).message.text == "Hello"


@pytest.mark.parametrize(
    "error",
    [
        {"error": {"code": 500, "message": "It broke\n\x1b[31m", "type": "server_error"}},
        {"error": "It broke"},
        {"error": {"message": {"message": "It broke"}}},
        {"error": ["It broke"]},
        {"object": "error", "message": "It broke", "code": 500},
        {"error": {"detail": "It broke"}},
    ],
)
def test_an_error_in_a_stream_is_told(ask: Ask, server: FaultServer, error: Any) -> None:
    for body in (
        b"data: %b\n\n" % json.dumps(error).encode(),
        b"event: error\ndata: %b\n\n" % json.dumps(error).encode(),
    ):
        line = failure(ask, text("Hel") + raw(body) + end(), ServerFault)
        assert line.startswith(f"{server.base_url} failed while it answered: It broke")


@pytest.mark.parametrize(
    "line",
    [
        b'error: {"code":500,"message":"It broke","type":"server_error"}',
        b'error:{"message":"It broke"}',
        b"error: It broke",
    ],
)
def test_an_error_line_is_told(ask: Ask, line: bytes) -> None:
    told = failure(ask, text("Hel") + raw(line + b"\n\n") + end(), ServerFault)
    assert told.endswith("It broke")


@pytest.mark.parametrize("line", [b"error:", b"error: {half", b'error: {"code":5}', b"error: \xff"])
def test_an_error_line_without_a_reason_is_told(ask: Ask, line: bytes) -> None:
    with pytest.raises(ProviderError):
        ask(text("Hel") + raw(line + b"\n\n") + end())


def test_an_error_as_the_whole_answer_is_told(ask: Ask) -> None:
    body = {"error": "Unexpected endpoint or method. (POST /chat/completions)"}
    line = failure(ask, status(200, body), RequestRefused)
    assert "is the base URL right?" in line


def test_the_status_of_a_refusal_is_known_even_if_its_reason_never_comes(
    ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openai, "INFO_TIMEOUT", 0.05)
    refusal = Reply((raw(b"") + stall()).steps, 500)
    assert failure(ask, refusal, StatusError).endswith("answered 500: no reason")


@pytest.mark.parametrize("ending", [cut(), reset()])
def test_the_status_of_a_refusal_is_known_even_if_its_reason_is_cut(
    ask: Ask, ending: Reply
) -> None:
    reply = Reply((raw(b'{"err') + ending).steps, 500)
    assert "answered 500" in failure(ask, reply, StatusError)


@pytest.mark.parametrize("code", [201, 302, 400, 418, 500, 599])
@pytest.mark.parametrize(
    "body",
    [b"", b"\xff\xfe", b"\0\x1b[2J", b"[[[", b'"text"', b"null", b"{}", b"<html>", b"5" * 9999],
)
def test_any_body_of_any_status_is_one_line(ask: Ask, code: int, body: bytes) -> None:
    failure(ask, status(code, body), StatusError)


@pytest.mark.parametrize("encoding", ["gzip", "br", "zstd", "deflate", "gzip, gzip", "bogus"])
@pytest.mark.parametrize("body", [gzip.compress(bytes(10_000_000)), b"no gzip at all", b""])
def test_a_compressed_body_is_refused_and_not_unpacked(
    ask: Ask, server: FaultServer, encoding: str, body: bytes
) -> None:
    line = failure(ask, status(200, body, {"Content-Encoding": encoding}), ProtocolError)
    assert "compressed" in line
    assert server.chat_requests[0].headers["accept-encoding"] == "identity"


def test_a_compressed_refusal_keeps_its_status(ask: Ask) -> None:
    body = gzip.compress(b'{"error":"no"}')
    line = failure(ask, status(500, body, {"Content-Encoding": "gzip"}), StatusError)
    assert line.endswith("answered 500: no reason")


@pytest.mark.parametrize(
    "piece",
    [raw(b"x" * 65_536), raw(b"data: " + b"x" * 65_536), raw(b":" + b"x" * 65_536)],
    ids=["noise", "data", "a comment"],
)
def test_a_line_of_100_mb_is_given_up_early(ask: Ask, piece: Reply) -> None:
    tracemalloc.start()
    try:
        line = failure(ask, endless(piece, limit=100 << 20), ProtocolError)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert "a line of more than 16 MB" in line
    assert peak < 3 * sse.MAX_LINE


@pytest.mark.parametrize(
    "reply",
    [
        endless(text("more and more")),
        endless(comments(1000)),
        raw(b"{") + endless(raw(b'"a":1,' * 1000)),
        endless(raw(b"\n" * 65_536)),
    ],
    ids=["text", "comments", "one document", "blank lines"],
)
def test_an_answer_without_end_is_given_up(
    ask: Ask, reply: Reply, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "MAX_BODY", 2 << 20)
    assert failure(ask, reply, ProtocolError) == "the server sent more than 2 MB"


def test_a_refusal_without_end_is_cut(ask: Ask) -> None:
    reply = Reply(endless(raw(b"x" * 1000)).steps, 500)
    failure(ask, reply, StatusError)


@pytest.mark.parametrize("ending", [cut(), reset(), crash()])
def test_a_server_that_hangs_up_before_it_answers_is_told(
    ask: Ask, server: FaultServer, ending: Reply
) -> None:
    line = failure(ask, ending, ConnectionFailed)
    assert line.startswith(f"{server.base_url} does not answer: ")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)


def shaped(depth: int = 0) -> st.SearchStrategy[Any]:
    """Chunks that begin as they should and go wrong somewhere."""
    call = st.fixed_dictionaries(
        {},
        optional={
            "index": JSON | st.integers(-1, 2),
            "id": JSON | st.sampled_from(["", "a", "b"]),
            "function": JSON
            | st.fixed_dictionaries(
                {},
                optional={
                    "name": JSON | st.sampled_from(["bash", "read_file"]),
                    "arguments": JSON
                    | st.sampled_from(["{", "}", '"', "\\", '{"a":1}', "[", "\ud83c"]),
                },
            ),
        },
    )
    delta = st.fixed_dictionaries(
        {},
        optional={
            "content": JSON | st.text(max_size=3),
            "reasoning_content": JSON | st.text(max_size=3),
            "reasoning": JSON,
            "tool_calls": JSON | st.lists(JSON | call, max_size=3),
        },
    )
    choice = st.fixed_dictionaries(
        {},
        optional={
            "delta": JSON | delta,
            "message": JSON | delta,
            "finish_reason": JSON | st.sampled_from(["stop", "", None]),
            "usage": JSON,
        },
    )
    counts = st.dictionaries(
        st.sampled_from(["prompt_tokens", "prompt_tokens_details", "cache_n", "prompt_ms"]), JSON
    )
    return st.fixed_dictionaries(
        {},
        optional={
            "choices": JSON | st.lists(JSON | choice, max_size=2),
            "usage": JSON | counts,
            "timings": JSON | counts,
            "x_groq": JSON | st.fixed_dictionaries({"usage": JSON | counts}),
            "prompt_progress": JSON
            | st.dictionaries(st.sampled_from(["processed", "total"]), JSON),
            "error": JSON,
        },
    )


def read(body: bytes) -> list[Any] | ProviderError:
    reader = AnswerReader(
        Explainer(preset=PRESETS["openai"], url="http://127.0.0.1:1/v1"), "local-model"
    )
    try:
        return [*reader.feed(body), *reader.end()]
    except ProviderError as error:
        return error


@settings(deadline=None, max_examples=150)
@given(chunks=st.lists(JSON | shaped(), max_size=5))
@example(chunks=[{"choices": [{"delta": {"tool_calls": [{"index": True}]}}]}])
@example(chunks=[{"timings": {"prompt_ms": 10**400}, "usage": {"prompt_tokens": 10**400}}])
def test_random_json_is_an_answer_or_a_provider_error(chunks: list[Any]) -> None:
    body = b"".join(b"data: %b\n\n" % json.dumps(chunk).encode() for chunk in chunks)
    found = read(body + b"data: [DONE]\n\n")
    if isinstance(found, list):
        message = found[-1].message
        message.text.encode()
        message.thinking.encode()
        for call in message.calls:
            json.dumps(call.arguments, allow_nan=False)
            assert call.raw is None or call.arguments == {}
    else:
        assert str(found).isprintable()


@settings(deadline=None, max_examples=100)
@given(body=JSON | shaped())
def test_random_json_as_the_whole_body_is_an_answer_or_a_provider_error(body: Any) -> None:
    found = read(json.dumps(body).encode())
    assert isinstance(found, ProviderError) or isinstance(found[-1], MessageDone)


@settings(deadline=None, max_examples=100)
@given(body=st.binary(max_size=200))
@example(body=b"data:")
@example(body=b"\xef\xbb\xbf")
def test_random_bytes_are_no_answer(body: bytes) -> None:
    assert isinstance(read(body), ProviderError)


def test_many_pieces_of_calls_are_read_in_one_go() -> None:
    """Each piece might end the call: to read all of it each time would take minutes."""
    function = {"name": "a", "arguments": '{"}'}
    chunk = {"choices": [{"delta": {"tool_calls": [{"function": function}]}}]}
    piece = b"data: %b\n\n" % json.dumps(chunk).encode()
    found = read(piece * 20_000 + b"data: [DONE]\n\n")
    assert isinstance(found, list)
    assert len(found[-1].message.calls) == 10_000


@pytest.mark.parametrize("word", ["model ", "context size ", "<title>", "Jinja Exception:", "1 "])
def test_a_very_long_error_is_looked_at_in_part(ask: Ask, word: str) -> None:
    """Patterns that meet it again and again would take minutes for all of it."""
    with pytest.raises(ProviderError) as caught:
        ask(text("Hel") + error_event(word * 200_000))
    assert len(str(caught.value)) < 400


def test_no_connection_is_told(ask: Ask, server: FaultServer) -> None:
    server.stop()
    line = failure(ask, text("Hello"), ConnectionFailed)
    assert line == (
        f"{server.base_url} does not answer: nothing listens there; "
        "start it: llama-server --jinja -m MODEL.gguf"
    )


def test_an_error_event_is_no_end(ask: Ask) -> None:
    failure(ask, text("Hello") + error_event("out of memory"), ServerFault)


def test_an_event_without_choices_is_no_answer(ask: Ask) -> None:
    failure(ask, event({"object": "ping"}) + event("[DONE]"), ProtocolError)
