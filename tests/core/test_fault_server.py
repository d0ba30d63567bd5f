from __future__ import annotations

import asyncio
import json
import re
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minime_core.testing.fault_server import FaultServer
from minime_core.testing.gate import Gate
from minime_core.testing.http1 import Request
from minime_core.testing.replies import (
    comments,
    crash,
    cut,
    delta,
    end,
    endless,
    error_event,
    event,
    finish,
    hold,
    html,
    parallel,
    progress,
    raw,
    reset,
    stall,
    status,
    text,
    thinking,
    tool_call,
    trace,
)
from minime_core.testing.steps import Reply

TRACES = Path(__file__).parents[1] / "traces"
BROKEN = (httpx.RemoteProtocolError, httpx.ReadError)


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer() as server:
        yield server


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    with httpx.Client(trust_env=False, timeout=5) as client:
        yield client


class Chat:
    """A client of the server that asks for chat completions."""

    def __init__(self, server: FaultServer, client: httpx.Client) -> None:
        self.server = server
        self.client = client
        self.url = f"{server.base_url}/chat/completions"

    def ask(
        self, reply: Reply | None = None, *, stream: bool = True, **body: Any
    ) -> httpx.Response:
        if reply is not None:
            self.server.enqueue(reply)
        return self.client.post(self.url, json={"stream": stream, **body})

    def deltas(self, reply: Reply) -> list[dict[str, Any]]:
        chunks = events(self.ask(reply).content)
        return [chunk["choices"][0]["delta"] for chunk in chunks if chunk != "[DONE]"]

    def message(self, reply: Reply) -> dict[str, Any]:
        message: dict[str, Any] = self.ask(reply, stream=False).json()["choices"][0]["message"]
        return message


@pytest.fixture
def chat(server: FaultServer, client: httpx.Client) -> Chat:
    return Chat(server, client)


def dial(server: FaultServer) -> socket.socket:
    address = httpx.URL(server.url)
    return socket.create_connection((address.host, address.port or 0))


def events(body: bytes) -> list[Any]:
    data = [line[6:] for line in body.decode().splitlines() if line.startswith("data: ")]
    return [item if item == "[DONE]" else json.loads(item) for item in data]


def arguments(deltas: list[dict[str, Any]]) -> str:
    calls = [call for fields in deltas for call in fields.get("tool_calls", [])]
    return "".join(call["function"]["arguments"] for call in calls)


# The wire of a plain answer


def test_text_streams_like_llama_server(chat: Chat) -> None:
    response = chat.ask(text("Hello world"))
    opening, hello, world, closing, done = events(response.content)
    assert response.headers["content-type"] == "text/event-stream"
    assert response.headers["transfer-encoding"] == "chunked"
    assert opening["choices"] == [
        {"finish_reason": None, "index": 0, "delta": {"role": "assistant", "content": None}}
    ]
    assert opening["object"] == "chat.completion.chunk"
    assert [chunk["choices"][0]["delta"] for chunk in (hello, world)] == [
        {"content": "Hello"},
        {"content": " world"},
    ]
    assert closing["choices"] == [{"finish_reason": "stop", "index": 0, "delta": {}}]
    assert "timings" in closing
    assert "usage" not in closing
    assert done == "[DONE]"


def test_usage_comes_in_a_last_chunk_without_choices_if_asked_for(chat: Chat) -> None:
    response = chat.ask(text("one two"), stream_options={"include_usage": True})
    *_, closing, figures, _ = events(response.content)
    assert "timings" not in closing
    assert figures["choices"] == []
    assert figures["usage"]["completion_tokens"] == 2
    assert figures["usage"]["total_tokens"] == 2 + figures["usage"]["prompt_tokens"]
    assert figures["timings"]["prompt_n"] == figures["usage"]["prompt_tokens"]


def test_an_answer_that_is_not_streamed_has_the_same_content(chat: Chat) -> None:
    reply = thinking("Hm. ") + text("I look.") + tool_call("bash", {"command": "ls"}, id="a1")
    response = chat.ask(reply, stream=False)
    answer = response.json()
    assert int(response.headers["content-length"]) == len(response.content)
    assert answer["object"] == "chat.completion"
    assert answer["choices"][0]["finish_reason"] == "tool_calls"
    assert answer["choices"][0]["message"] == {
        "role": "assistant",
        "content": "I look.",
        "reasoning_content": "Hm. ",
        "tool_calls": [
            {
                "type": "function",
                "function": {"name": "bash", "arguments": '{"command":"ls"}'},
                "id": "a1",
            }
        ],
    }
    assert {"usage", "timings"} < answer.keys()


@given(st.text(alphabet="ab \n\té"), st.integers(1, 9))
@settings(max_examples=50, deadline=None, database=None)
def test_deltas_hold_the_whole_text_however_it_is_cut(content: str, chunks: int) -> None:
    for reply in (text(content), text(content, chunks=chunks)):
        pieces = [step.fields["content"] for step in reply.steps]  # type: ignore[union-attr]
        assert "".join(pieces) == content


def test_chunks_sets_the_number_of_deltas(chat: Chat) -> None:
    assert chat.deltas(text("a b c d", chunks=1))[1:-1] == [{"content": "a b c d"}]
    assert len(chat.deltas(text("abc", chunks=3))) == 3 + 2


def test_thinking_may_use_the_key_of_other_servers(chat: Chat) -> None:
    assert chat.deltas(thinking("Hm", field="reasoning"))[1] == {"reasoning": "Hm"}


def test_a_lone_surrogate_goes_out_escaped(chat: Chat) -> None:
    response = chat.ask(text("\ud83d"))
    assert b'{"content":"\\ud83d"}' in response.content


def test_progress_comes_before_the_opening_chunk(chat: Chat) -> None:
    reply = progress(0, 224, total=291, cache=10) + text("a")
    first, second, opening, *_ = events(chat.ask(reply).content)
    assert first["prompt_progress"] == {"total": 291, "cache": 10, "processed": 0, "time_ms": 0}
    assert second["prompt_progress"]["processed"] == 224
    assert opening["choices"][0]["delta"]["role"] == "assistant"
    assert "prompt_progress" not in opening


def test_finish_sets_reason_usage_and_timings(chat: Chat) -> None:
    usage = {"prompt_tokens": 100, "prompt_tokens_details": {"cached_tokens": 99}}
    reply = text("a") + finish("length", usage=usage)
    response = chat.ask(reply, stream_options={"include_usage": True})
    *_, closing, figures, _ = events(response.content)
    assert closing["choices"][0]["finish_reason"] == "length"
    assert figures["usage"] == usage
    assert figures["timings"]["prompt_n"] == 1


def test_finish_leaves_out_what_it_is_told(chat: Chat) -> None:
    reply = text("a") + finish(None, usage=None, timings=None, done=False)
    response = chat.ask(reply, stream_options={"include_usage": True})
    assert len(events(response.content)) == 2


def test_finish_alone_is_an_empty_answer(chat: Chat) -> None:
    assert chat.deltas(finish()) == [{"role": "assistant", "content": None}, {}]


# Tool calls


def test_a_tool_call_streams_in_fragments_like_llama_server(chat: Chat) -> None:
    deltas = chat.deltas(tool_call("bash", {"command": "ls"}, fragments=2, id="a1"))
    assert deltas[1:-1] == [
        {
            "tool_calls": [
                {
                    "index": 0,
                    "id": "a1",
                    "type": "function",
                    "function": {"name": "bash", "arguments": '{"comman'},
                }
            ]
        },
        {"tool_calls": [{"index": 0, "function": {"arguments": 'd":"ls"}'}}]},
    ]


def test_calls_are_counted_and_their_ids_are_unique_in_the_server(chat: Chat) -> None:
    reply = tool_call("a", {}, fragments=1) + tool_call("b", {}, fragments=1)
    calls = [d["tool_calls"][0] for d in chat.deltas(reply)[1:-1] + chat.deltas(reply)[1:-1]]
    assert [call["index"] for call in calls] == [0, 1, 0, 1]
    assert len({call["id"] for call in calls}) == 4


def test_a_call_may_lack_index_and_id_and_be_an_object(chat: Chat) -> None:
    reply = tool_call("bash", {"command": "ls"}, index=None, id=None, as_object=True)
    assert chat.deltas(reply)[1:-1] == [
        {
            "tool_calls": [
                {
                    "type": "function",
                    "function": {"name": "bash", "arguments": {"command": "ls"}},
                }
            ]
        }
    ]
    assert chat.message(reply)["tool_calls"][0]["function"]["arguments"] == {"command": "ls"}


def test_two_calls_may_share_an_index(chat: Chat) -> None:
    reply = tool_call("a", "{}", fragments=1, index=0) + tool_call("b", "{}", fragments=1, index=0)
    calls = [fields["tool_calls"][0] for fields in chat.deltas(reply)[1:-1]]
    assert [(call["index"], call["function"]["name"]) for call in calls] == [(0, "a"), (0, "b")]


def test_arguments_may_be_any_text(chat: Chat) -> None:
    assert arguments(chat.deltas(tool_call("bash", '{"command": "l', fragments=4))) == (
        '{"command": "l'
    )


def test_parallel_calls_share_their_deltas(chat: Chat) -> None:
    reply = parallel(tool_call("a", "1234", fragments=2), tool_call("b", "5", fragments=1))
    first, second = (fields["tool_calls"] for fields in chat.deltas(reply)[1:-1])
    assert [(call["index"], call["function"]["arguments"]) for call in first] == [
        (0, "12"),
        (1, "5"),
    ]
    assert [(call["index"], call["function"]["arguments"]) for call in second] == [(0, "34")]
    assert len(chat.message(reply)["tool_calls"]) == 2


def test_deltas_and_events_of_any_shape_can_be_sent(chat: Chat) -> None:
    reply = delta({"content": [{"type": "text"}]}) + event({"choices": 7}) + event("not JSON")
    response = chat.ask(reply)
    assert b'"delta":{"content":[{"type":"text"}]}' in response.content
    assert b'data: {"choices":7}\n\ndata: not JSON\n\n' in response.content


# Refusals and recorded bodies


def test_status_makes_an_error_of_llama_servers_shape(chat: Chat) -> None:
    response = chat.ask(status(503, "Loading model", {"Retry-After": "1"}))
    assert response.status_code == 503
    assert response.headers["retry-after"] == "1"
    assert response.json() == {
        "error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}
    }


def test_status_says_what_it_means_by_default(chat: Chat) -> None:
    assert chat.ask(status(429)).json()["error"]["message"] == "Too Many Requests"


def test_html_is_a_web_page_of_status_200(chat: Chat) -> None:
    response = chat.ask(html())
    assert response.status_code == 200
    assert response.headers["content-type"].startswith("text/html")
    assert response.text.startswith("<!doctype html>")


def test_an_error_event_ends_a_stream_of_status_200(chat: Chat) -> None:
    response = chat.ask(text("Hel") + error_event("no match"))
    assert response.status_code == 200
    assert events(response.content)[-1] == {
        "error": {"code": 500, "message": "no match", "type": "server_error"}
    }


def test_an_error_event_is_a_status_where_nothing_streams(chat: Chat) -> None:
    response = chat.ask(text("Hel") + error_event("no match", code=400), stream=False)
    assert response.status_code == 400
    assert response.json()["error"]["message"] == "no match"


@pytest.mark.parametrize("path", sorted(TRACES.glob("*.sse")), ids=lambda path: path.stem)
def test_a_recorded_body_is_replayed_byte_for_byte(chat: Chat, path: Path) -> None:
    response = chat.ask(trace(path))
    assert response.content == path.read_bytes()
    refused = re.match(r"error_(\d+)_", path.stem)
    assert response.status_code == (int(refused[1]) if refused else 200)


def test_a_recorded_refusal_goes_out_with_its_status(chat: Chat) -> None:
    body = b'{"error":{"code":400,"message":"too long","n_ctx":4096}}'
    response = chat.ask(trace(body))
    assert (response.status_code, response.content) == (400, body)
    assert response.headers["content-type"].startswith("application/json")


def test_any_body_is_replayed_in_any_chunks(chat: Chat) -> None:
    @given(st.binary(), st.lists(st.integers(1, 9), max_size=4))
    @settings(max_examples=40, deadline=None, database=None)
    def replay(body: bytes, sizes: list[int]) -> None:
        reply = trace(body).split(*sizes) if sizes else trace(body)
        assert chat.ask(reply).content == body

    replay()


# How the bytes go out


def test_each_event_is_one_http_chunk(chat: Chat, server: FaultServer) -> None:
    server.enqueue(text("one two"))
    with chat.client.stream("POST", chat.url, json={"stream": True}) as response:
        chunks = list(response.iter_raw())
    assert len(chunks) == 5
    assert all(chunk.startswith(b"data: ") for chunk in chunks)


def test_split_cuts_through_characters(chat: Chat, server: FaultServer) -> None:
    server.enqueue(raw("aé".encode()).split(2), raw(b"abcdef").split(1, 3))
    for expected in ([b"a\xc3", b"\xa9"], [b"a", b"bcd", b"e", b"f"]):
        with chat.client.stream("POST", chat.url, json={"stream": True}) as response:
            assert list(response.iter_raw()) == expected


def test_split_holds_nothing_back_before_a_gate(chat: Chat, server: FaultServer) -> None:
    gate = Gate()
    server.enqueue((raw(b"abc") + hold(gate) + raw(b"def")).split(2))
    with chat.client.stream("POST", chat.url, json={"stream": True}) as response:
        assert gate.wait_reached()
        chunks = response.iter_raw()
        assert [next(chunks), next(chunks)] == [b"ab", b"c"]
        gate.open()
        assert list(chunks) == [b"de", b"f"]


def test_crlf_ends_every_line(chat: Chat) -> None:
    body = chat.ask((comments() + text("a")).crlf()).content
    assert body.startswith(b": keep-alive\r\n\r\ndata: ")
    assert body.count(b"\n") == body.count(b"\r\n")


def test_comments_are_sent_where_they_stand(chat: Chat) -> None:
    body = chat.ask(comments(2) + text("a")).content
    assert body.startswith(b": keep-alive\n\n: keep-alive\n\ndata: ")


def test_end_leaves_a_complete_body_without_its_closing(chat: Chat) -> None:
    body = chat.ask(text("Hel") + end()).content
    assert len(events(body)) == 2
    assert b"[DONE]" not in body


@pytest.mark.parametrize("ending", [cut(), reset()], ids=["cut", "reset"])
def test_a_broken_stream_delivers_what_came_before(chat: Chat, ending: Reply) -> None:
    gate = Gate()
    chat.server.enqueue(text("Hel") + hold(gate) + ending)
    with chat.client.stream("POST", chat.url, json={"stream": True}) as response:
        chunks = response.iter_raw()
        assert b"assistant" in next(chunks)
        assert b"Hel" in next(chunks)
        gate.open()
        with pytest.raises(BROKEN):
            next(chunks)
    assert chat.server.requests[0].wait_ended()
    assert chat.server.requests[0].outcome == "closed_by_server"


@pytest.mark.parametrize("ending", [cut(), reset()], ids=["cut", "reset"])
@pytest.mark.parametrize("stream", [True, False])
def test_a_broken_connection_without_a_word(chat: Chat, ending: Reply, stream: bool) -> None:
    with pytest.raises(BROKEN):
        chat.ask(ending, stream=stream)


def test_cut_breaks_off_the_body_of_an_answer_that_is_not_streamed(chat: Chat) -> None:
    with pytest.raises(httpx.RemoteProtocolError, match="received"):
        chat.ask(text("Hello") + cut(), stream=False)


def test_reset_is_a_tcp_reset(server: FaultServer) -> None:
    server.enqueue(reset())
    with dial(server) as connection:
        connection.sendall(b"POST /chat/completions HTTP/1.1\r\ncontent-length: 2\r\n\r\n{}")
        with pytest.raises(ConnectionResetError):
            connection.recv(1)


@pytest.mark.parametrize("after_bytes", [0, 1, 200, 300])
def test_interrupted_sends_exactly_so_many_bytes(chat: Chat, after_bytes: int) -> None:
    whole = chat.ask(text("Hello")).content.replace(b"chatcmpl-1", b"chatcmpl-2")
    chat.server.enqueue(text("Hello").interrupted(after_bytes))
    received: list[bytes] = []
    with (
        chat.client.stream("POST", chat.url, json={"stream": True}) as response,
        pytest.raises(httpx.RemoteProtocolError),
    ):
        received.extend(response.iter_raw())
    assert b"".join(received) == whole[:after_bytes]


def test_interrupted_may_go_on_with_another_reply(chat: Chat) -> None:
    response = chat.ask(trace(b"data: 1\n\ndata: 2\n\n").interrupted(9, by=error_event("gone")))
    assert events(response.content)[0] == 1
    assert events(response.content)[1]["error"]["message"] == "gone"


def test_a_gate_holds_even_the_headers_back(chat: Chat, server: FaultServer) -> None:
    gate = Gate()
    server.enqueue(hold(gate) + text("a"))
    answers: list[httpx.Response] = []
    thread = threading.Thread(target=lambda: answers.append(chat.ask()))
    thread.start()
    assert gate.wait_reached()
    assert answers == []
    assert server.requests[0].outcome is None
    gate.open()
    thread.join()
    assert answers[0].status_code == 200
    assert server.requests[0].wait_ended()
    assert server.requests[0].outcome == "answered"


def test_an_open_gate_lets_every_reply_pass(chat: Chat) -> None:
    gate = Gate()
    gate.open()
    for stream in (True, False):
        assert chat.ask(hold(gate) + text("a"), stream=stream).status_code == 200


# What the server sees of its clients


def test_requests_are_recorded(chat: Chat, server: FaultServer) -> None:
    chat.client.get(f"{server.url}/health?verbose=1")
    chat.client.post(chat.url, json={"messages": []}, headers={"X-Test": "1"})
    health, asked = server.requests
    assert (health.method, health.path, health.body) == ("GET", "/health?verbose=1", b"")
    assert (asked.method, asked.path) == ("POST", "/v1/chat/completions")
    assert asked.json == {"messages": []}
    assert asked.headers["x-test"] == "1"
    assert server.chat_requests == [asked]


def test_connections_are_counted(chat: Chat, server: FaultServer) -> None:
    for _ in range(3):
        chat.ask(text("a"))
    assert server.connections == 1
    with httpx.Client(trust_env=False, verify=False) as other:
        other.get(f"{server.url}/health", headers={"Connection": "close"})
        other.get(f"{server.url}/health")
    assert server.connections == 3
    assert [request.connection for request in server.requests] == [1, 1, 1, 2, 3]


@pytest.mark.parametrize(
    "rest",
    [stall(), endless(text(" la")), comments() + stall()],
    ids=["silent", "endless", "keep-alive"],
)
def test_a_client_that_hangs_up_in_mid_stream_is_seen(chat: Chat, rest: Reply) -> None:
    chat.server.enqueue(text("Hel") + rest)
    with chat.client.stream("POST", chat.url, json={"stream": True}) as response:
        next(response.iter_raw())
    request = chat.server.chat_requests[0]
    assert request.wait_ended()
    assert request.closed_by_client


def test_a_client_that_hangs_up_before_the_first_byte_is_seen(server: FaultServer) -> None:
    gate = Gate()
    server.enqueue(hold(gate))
    with dial(server) as connection:
        connection.sendall(b"POST /chat/completions HTTP/1.1\r\ncontent-length: 2\r\n\r\n{}")
        assert gate.wait_reached()
    assert server.requests[0].wait_ended()
    assert server.requests[0].closed_by_client


def test_a_client_that_reads_to_the_end_has_not_hung_up(chat: Chat) -> None:
    chat.ask(text("a"))
    request = chat.server.chat_requests[0]
    assert request.wait_ended()
    assert not request.closed_by_client


def test_an_endless_piece_goes_on_after_its_limit(chat: Chat) -> None:
    body = chat.ask(endless(raw(b"x" * 300), limit=1000) + raw(b"end")).content
    assert body == b"x" * 1200 + b"end"


def test_the_loop_of_an_endless_answer_opens_only_once(chat: Chat) -> None:
    deltas = chat.deltas(endless(text("la la"), limit=2000))
    assert [fields.get("role") for fields in deltas].count("assistant") == 1


@pytest.mark.parametrize(
    "sent",
    [
        b"nonsense\r\n\r\n",
        b"GET / HTTP/1.1\r\ncontent-length: " + b"9" * 5000 + b"\r\n\r\n",
        b"GET / HTTP/1.1\r\ncontent-length: -1\r\n\r\n",
        b"POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n",
    ],
    ids=["nonsense", "huge length", "negative length", "chunked"],
)
def test_a_broken_request_is_refused_and_told(server: FaultServer, sent: bytes) -> None:
    with dial(server) as connection:
        connection.sendall(sent)
        assert connection.recv(12) == b"HTTP/1.1 400"
    assert server.problems[0].startswith("unreadable request: ")


def test_a_coroutine_in_the_same_process_can_be_the_client(server: FaultServer) -> None:
    gate = Gate()
    server.enqueue(text("Hel") + hold(gate) + text("lo"))

    async def talk() -> bytes:
        async with httpx.AsyncClient(trust_env=False, verify=False) as client:
            asking = asyncio.create_task(
                client.post(f"{server.base_url}/chat/completions", json={"stream": True})
            )
            assert await asyncio.to_thread(gate.wait_reached)
            gate.open()
            return (await asking).content

    assert len(events(asyncio.run(talk()))) == 5


# Scripts


def test_replies_come_in_order_and_then_a_clear_error(chat: Chat, server: FaultServer) -> None:
    server.enqueue(text("one"), text("two"))
    assert server.pending == 2
    assert b"one" in chat.ask().content
    assert b"two" in chat.ask().content
    response = chat.ask()
    assert response.status_code == 500
    assert response.json()["error"]["message"] == "fault server: no reply left"
    assert server.problems == ["no reply left for completion 3"]


def test_respond_may_be_a_reply_or_make_one(chat: Chat, server: FaultServer) -> None:
    server.respond = text("always")
    assert chat.ask(text("queued first"), stream=False).status_code == 200
    assert chat.ask(stream=False).json()["choices"][0]["message"]["content"] == "always"
    server.respond = lambda request: text(request.json["messages"][0])
    answer = chat.ask(stream=False, messages=["echo"]).json()
    assert answer["choices"][0]["message"]["content"] == "echo"


def test_an_exception_in_a_callable_is_told(chat: Chat, server: FaultServer) -> None:
    def fail(request: Request) -> Reply:
        raise LookupError("not scripted")

    server.respond = fail
    response = chat.ask()
    assert response.status_code == 500
    assert "not scripted" in response.json()["error"]["message"]
    assert "LookupError" in server.problems[0]


@pytest.mark.parametrize("stream", [True, False])
def test_a_reply_that_is_no_json_is_told(chat: Chat, stream: bool) -> None:
    with pytest.raises(BROKEN):
        chat.ask(delta({"content": {1, 2}}), stream=stream)
    assert chat.server.requests[0].wait_ended()
    assert "not JSON serializable" in chat.server.problems[0]


def test_any_base_path_reaches_the_queue(chat: Chat, server: FaultServer) -> None:
    server.enqueue(text("a"))
    response = chat.client.post(f"{server.url}/engines/v1/chat/completions", json={"stream": True})
    assert response.status_code == 200
    assert len(server.chat_requests) == 1


def test_a_completion_whose_request_is_no_json_takes_no_reply(
    chat: Chat, server: FaultServer
) -> None:
    server.enqueue(text("a"))
    assert chat.client.post(chat.url, content=b"{bad").status_code == 400
    assert server.pending == 1


def test_the_other_routes_answer_like_llama_server(chat: Chat, server: FaultServer) -> None:
    def get(path: str) -> Any:
        return chat.client.get(server.url + path).json()

    assert get("/health") == {"status": "ok"}
    assert get("/props")["default_generation_settings"]["n_ctx"] == 4096
    assert get("/props")["chat_template_caps"]["supports_tools"] is True
    assert get("/v1/models")["data"][0]["id"] == "local-model"
    assert get("/v1/models")["data"][0]["meta"]["n_ctx"] == 4096
    assert get("/slots")[0]["is_processing"] is False
    assert get("/nowhere")["error"]["type"] == "not_found_error"


def test_tokenize_and_apply_template_follow_the_request(chat: Chat, server: FaultServer) -> None:
    def post(path: str, body: Any) -> Any:
        return chat.client.post(server.url + path, json=body).json()

    assert len(post("/tokenize", {"content": "123456789"})["tokens"]) == 3
    prompt = post("/apply-template", {"messages": [{"role": "user", "content": "hi"}]})["prompt"]
    assert prompt == "<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n"


def test_routes_can_be_replaced(chat: Chat, server: FaultServer) -> None:
    server.routes["GET /props"] = status(404)
    server.routes["GET /health"] = {"status": "no slot available"}
    server.routes["GET /api/show"] = lambda request: {"path": request.path}
    assert chat.client.get(f"{server.url}/props").status_code == 404
    assert chat.client.get(f"{server.url}/health").json() == {"status": "no slot available"}
    assert chat.client.get(f"{server.url}/api/show?m=1").json() == {"path": "/api/show?m=1"}


def test_pieces_that_do_not_fit_together_are_refused() -> None:
    with pytest.raises(ValueError, match="nothing can follow"):
        cut() + text("a")
    with pytest.raises(ValueError, match="first piece"):
        text("a") + status(500)
    with pytest.raises(ValueError, match="tool calls"):
        parallel(text("a"))
    with pytest.raises(ValueError, match="endless"):
        endless(raw(b""))
    with pytest.raises(ValueError, match="endless"):
        endless(stall())
    with pytest.raises(ValueError, match="at least one"):
        text("a", chunks=0)
    with pytest.raises(ValueError, match="split"):
        text("a").split(0)
    with pytest.raises(TypeError, match="a reply is made by"):
        FaultServer().enqueue("a")  # type: ignore[arg-type]


# Start and stop


def test_stop_breaks_open_streams_and_leaves_no_thread(client: httpx.Client) -> None:
    server = FaultServer().start()
    chat = Chat(server, client)
    server.enqueue(text("Hel") + stall())
    before = [thread for thread in threading.enumerate() if thread.name == "fault-server"]
    with client.stream("POST", chat.url, json={"stream": True}) as response:
        chunks = response.iter_raw()
        next(chunks)
        server.stop()
        with pytest.raises(BROKEN):
            list(chunks)
    assert server.requests[0].outcome == "closed_by_server"
    assert len(before) == 1
    assert not before[0].is_alive()
    server.stop()


def test_a_crash_breaks_the_stream_and_refuses_new_connections(chat: Chat) -> None:
    with pytest.raises(BROKEN):
        chat.ask(text("Hel") + crash())
    with pytest.raises(httpx.ConnectError):
        chat.ask()


def test_a_stopped_server_comes_back_on_its_port(chat: Chat, server: FaultServer) -> None:
    server.stop()
    with pytest.raises(httpx.ConnectError):
        chat.ask()
    server.start()
    assert chat.ask(text("back")).status_code == 200
