"""One connection for a session, replaced when the server gave it up, closed when it is left."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import aclosing, contextmanager, suppress
from typing import Any

import pytest

from minime_core.errors import ConnectionFailed, RequestRefused
from minime_core.events import MessageDone, TextDelta
from minime_core.models import ModelRequest
from minime_core.testing.fault_server import FaultServer
from minime_core.testing.gate import Gate
from minime_core.testing.replies import endless, hold, progress, stall, status, text, tool_call
from minime_core.testing.steps import Reply
from minime_providers import http
from minime_providers.openai import OpenAIProvider

MakeProvider = Callable[..., OpenAIProvider]
MakeRequest = Callable[..., ModelRequest]


async def answer(provider: OpenAIProvider, request: ModelRequest) -> str:
    async with aclosing(provider.stream(request)) as events:
        last = [event async for event in events][-1]
    assert isinstance(last, MessageDone)
    return last.message.text


def test_a_session_with_tools_and_a_refusal_uses_one_connection(
    server: FaultServer, make_provider: MakeProvider, make_request: MakeRequest
) -> None:
    async def run() -> None:
        provider = make_provider()
        await provider.info()
        for _ in range(5):
            await answer(provider, make_request())
        with pytest.raises(RequestRefused):
            await answer(provider, make_request())
        await answer(provider, make_request())
        assert await provider.is_up()
        await provider.aclose()

    server.enqueue(*[tool_call("bash", {"command": "ls"})] * 5, status(400, "no"), text("Hello"))
    asyncio.run(run())
    assert server.connections == 1


def test_an_idle_connection_that_the_server_closed_is_replaced(
    server: FaultServer, make_provider: MakeProvider, make_request: MakeRequest
) -> None:
    async def run() -> list[str]:
        provider = make_provider()
        texts = [await answer(provider, make_request())]
        server.stop()
        server.start()
        texts.append(await answer(provider, make_request()))
        await provider.aclose()
        return texts

    server.enqueue(text("One"), text("Two"))
    assert asyncio.run(run()) == ["One", "Two"]


BODY = b'data: {"choices":[{"delta":{"content":"Hello"}}]}\n\ndata: [DONE]\n\n'
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(BODY), BODY)


class RacingServer:
    """A server that promises to keep a connection and drops the next request on it unread.

    This is how llama-server ends a stream; whether the client sees the end of the connection before
    it sends is a race, which this server always wins.
    """

    def __init__(self, answers: int) -> None:
        self.requests = 0
        self._answers = answers
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.base_url = f"http://127.0.0.1:{self._listener.getsockname()[1]}/v1"
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        # Until the listener is closed.
        with suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                with connection:
                    self._read(connection)
                    if self._answers:
                        self._answers -= 1
                        connection.sendall(ANSWER)
                        self._read(connection)

    def _read(self, connection: socket.socket) -> None:
        received = b""
        while b'"stream":true' not in received and (chunk := connection.recv(65_536)):
            received += chunk
        self.requests += bool(received)

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(5)
        assert not self._thread.is_alive()


@contextmanager
def racing_server(answers: int) -> Iterator[RacingServer]:
    server = RacingServer(answers)
    try:
        yield server
    finally:
        server.close()


def test_a_request_on_a_connection_that_is_just_closed_is_sent_again(
    make_provider: MakeProvider, make_request: MakeRequest
) -> None:
    async def run(base_url: str) -> list[str]:
        provider = make_provider(base_url=base_url)
        texts = [await answer(provider, make_request()) for _ in range(2)]
        await provider.aclose()
        return texts

    with racing_server(answers=2) as racing:
        assert asyncio.run(run(racing.base_url)) == ["Hello", "Hello"]
        # The first, the second unread, and the second again.
        assert racing.requests == 3


def test_a_request_on_a_new_connection_is_sent_once(
    make_provider: MakeProvider, make_request: MakeRequest
) -> None:
    async def run(base_url: str) -> None:
        provider = make_provider(base_url=base_url)
        try:
            await answer(provider, make_request())
        finally:
            await provider.aclose()

    with racing_server(answers=0) as racing:
        with pytest.raises(ConnectionFailed, match="disconnected"):
            asyncio.run(run(racing.base_url))
        assert racing.requests == 1


@pytest.mark.parametrize("what", ["text", "progress", "nothing"])
def test_leaving_early_closes_the_stream_at_the_server(
    server: FaultServer, make_provider: MakeProvider, make_request: MakeRequest, what: str
) -> None:
    gate = Gate()
    replies = {
        "text": text("Hello there") + endless(text("and more"), limit=1 << 40),
        "progress": progress(1, total=100) + stall(),
        "nothing": hold(gate),
    }

    async def run() -> None:
        provider = make_provider()
        stream = provider.stream(make_request())
        if what == "nothing":
            waiting = asyncio.ensure_future(anext(stream))
            assert await asyncio.to_thread(gate.wait_reached)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
        else:
            await anext(stream)
        await stream.aclose()
        [request] = server.chat_requests
        assert await asyncio.to_thread(request.wait_ended)
        assert request.closed_by_client
        # The provider is of use as before.
        assert await answer(provider, make_request()) == "Next"
        await provider.aclose()

    server.enqueue(replies[what], text("Next"))
    asyncio.run(run())


def test_a_cancelled_task_closes_the_stream_at_the_server(
    server: FaultServer, make_provider: MakeProvider, make_request: MakeRequest
) -> None:
    async def run() -> None:
        provider, begun = make_provider(), asyncio.Event()

        async def consume() -> None:
            async with aclosing(provider.stream(make_request())) as events:
                async for event in events:
                    if isinstance(event, TextDelta):
                        begun.set()

        task = asyncio.create_task(consume())
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        [request] = server.chat_requests
        assert await asyncio.to_thread(request.wait_ended)
        assert request.closed_by_client
        await provider.aclose()

    server.enqueue(endless(text("and more"), limit=1 << 40))
    asyncio.run(run())


def test_closing_the_provider_twice_is_fine(make_provider: MakeProvider) -> None:
    async def run() -> None:
        provider = make_provider()
        await provider.aclose()
        await provider.aclose()

    asyncio.run(run())


def test_a_server_is_up_when_anything_answers(
    server: FaultServer, make_provider: MakeProvider
) -> None:
    async def run() -> list[bool]:
        provider = make_provider()
        found = [await provider.is_up()]
        server.routes["GET /v1/models"] = status(503, "Loading model")
        found.append(await provider.is_up())
        server.stop()
        found.append(await provider.is_up())
        await provider.aclose()
        return found

    assert asyncio.run(run()) == [True, True, False]


def test_a_server_that_hangs_is_not_up(
    server: FaultServer, make_provider: MakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("minime_providers.openai.INFO_TIMEOUT", 0.05)
    server.routes["GET /v1/models"] = stall()

    async def run() -> bool:
        provider = make_provider()
        try:
            return await provider.is_up()
        finally:
            await provider.aclose()

    assert asyncio.run(run()) is False


def test_redirects_are_not_followed(server: FaultServer, ask: Callable[..., Any]) -> None:
    with FaultServer() as other:
        there = {"Location": f"{other.base_url}/chat/completions"}
        with pytest.raises(RequestRefused, match="redirects elsewhere: set `base_url`"):
            ask(status(307, headers=there))
        assert other.requests == []


def test_a_proxy_is_not_asked_for_local_servers(
    ask: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert ask(text("Hello")).message.text == "Hello"


async def only_answer(provider: OpenAIProvider, request: ModelRequest) -> str:
    whole = await answer(provider, request)
    await provider.aclose()
    return whole


def slow(pieces: int) -> Reply:
    """Return an answer whose pieces come one by one, each when the one before was seen to go."""
    gates = [Gate() for _ in range(pieces)]
    reply = text("0 ", chunks=1)
    for number, gate in enumerate(gates, start=1):
        reply = reply + hold(gate) + text(f"{number} ", chunks=1)

    def pace() -> None:
        for gate in gates:
            gate.wait_reached(60)
            gate.open()

    threading.Thread(target=pace, daemon=True).start()
    return reply


def test_a_short_answer_is_never_kept_waiting(
    server: FaultServer,
    make_provider: MakeProvider,
    make_request: MakeRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(http, "GATHERING", 3600)
    server.enqueue(slow(40))
    assert asyncio.run(only_answer(make_provider(), make_request())).endswith(" 39 40 ")


def test_a_long_answer_gathers_and_is_whole(
    server: FaultServer,
    make_provider: MakeProvider,
    make_request: MakeRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    slept: list[float] = []
    sleep = asyncio.sleep

    async def recorded(seconds: float) -> None:
        slept.append(seconds)
        await sleep(seconds)

    monkeypatch.setattr(asyncio, "sleep", recorded)
    monkeypatch.setattr(http, "IS_WAITING", 0)
    server.enqueue(slow(200))
    whole = asyncio.run(only_answer(make_provider(), make_request()))
    assert whole == "".join(f"{number} " for number in range(201))
    assert http.GATHERING in slept
