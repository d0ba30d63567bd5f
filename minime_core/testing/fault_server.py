"""A model server that follows a script, faults included."""

from __future__ import annotations

import asyncio
import socket
import threading
import traceback
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

from .completion import Completion, count_tokens
from .http1 import (
    BadRequest,
    Outcome,
    Request,
    WatchedReader,
    read_request,
    reset_on_close,
    send,
)
from .rendering import render
from .replies import status
from .routes import default_routes
from .steps import Ending, Reply

Responder = Callable[[Request], Any]

STOP_TIMEOUT = 5.0


class FaultServer:
    """Speak as an OpenAI-compatible model server, llama-server by default, and follow a script.

        with FaultServer() as server:
            server.enqueue(tool_call("read_file", {"path": "a.txt"}), text("It says hello."))
            ...  # Run a client with server.base_url.
            assert server.chat_requests[0].json["messages"][0]["role"] == "system"

    It serves real HTTP/1.1 on 127.0.0.1 from a thread of its own, so that coroutines, threads
    and other processes can be its clients. Any `POST` to a path that ends in `/chat/completions`
    gets the next reply of the queue; when the queue is empty, `respond` is asked; when that is
    not set, the answer is a 500 that says so.

    Attributes:
        routes: what the other paths answer, by method and path (`"GET /props"`): a `Reply`, a
            value to send as JSON, or a callable that makes either from the request.
        respond: the reply to completions for which the queue has none, or a callable that makes
            one from the request; callables run in the server's thread.
        requests: every request, in the order of arrival.
        connections: how many TCP connections were accepted.
        problems: what went wrong on this side: no reply left, an unreadable request, a callable
            that raised, a reply that is no JSON.
    """

    def __init__(self, *, model: str = "local-model", n_ctx: int = 4096, port: int = 0) -> None:
        """Prepare a server; it runs from `start`, or inside a `with` block.

        Args:
            model: the model's name.
            n_ctx: the context window that it reports, in tokens.
            port: the TCP port; a free one by default.
        """
        self.routes = default_routes(model, n_ctx)
        self.respond: Reply | Responder | None = None
        self.requests: list[Request] = []
        self.connections = 0
        self.problems: list[str] = []
        self._model = model
        self._port = port
        self._replies: deque[Reply] = deque()
        self._completions = 0
        self._serving: set[asyncio.Task[None]] = set()
        self._opening: set[asyncio.Task[None]] = set()
        self._thread: threading.Thread | None = None

    @property
    def url(self) -> str:
        """The address of the server, without a path."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def base_url(self) -> str:
        """The address that clients of an OpenAI-compatible API are given."""
        return f"{self.url}/v1"

    @property
    def chat_requests(self) -> list[Request]:
        """The requests for a chat completion, in the order of arrival."""
        return [request for request in self.requests if _is_chat(request)]

    @property
    def pending(self) -> int:
        """How many replies of the queue are left."""
        return len(self._replies)

    def enqueue(self, *replies: Reply) -> None:
        """Add replies to the queue, one for each completion that will be asked for."""
        for reply in replies:
            if not isinstance(reply, Reply):
                raise TypeError(f"a reply is made by text(), tool_call() ..., not {reply!r}")
        self._replies.extend(replies)

    def start(self) -> Self:
        """Listen, on the same port as before if the server was stopped.

        Raises:
            OSError: the port is taken.
        """
        listener = socket.create_server(("127.0.0.1", self._port))
        self._port = listener.getsockname()[1]
        self._loop = asyncio.new_event_loop()
        self._stopping = asyncio.Event()
        self._thread = threading.Thread(
            target=self._run, args=(listener,), name="fault-server", daemon=True
        )
        self._thread.start()
        return self

    def stop(self) -> None:
        """Refuse new connections, close the open ones, and end the thread.

        Raises:
            RuntimeError: the thread does not end, because a callable blocks it.
        """
        if self._thread is None:
            return
        with suppress(RuntimeError):  # The loop is closed already when a reply was a crash.
            self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join(STOP_TIMEOUT)
        if self._thread.is_alive():
            raise RuntimeError("the fault server does not stop: a callable of it is still running")
        self._thread = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        self.stop()

    def _run(self, listener: socket.socket) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._listen(listener))

    async def _listen(self, listener: socket.socket) -> None:
        listener.setblocking(False)
        self._listener = listener
        self._loop.add_reader(listener, self._take)
        await self._stopping.wait()
        self._refuse()
        # What was taken is handed over before the end, which closes what was handed over.
        await asyncio.gather(*self._opening, return_exceptions=True)

    def _take(self) -> None:
        """Take a connection; asyncio's own server leaves one open that is taken at its end."""
        with suppress(OSError):  # of a client that left already
            opening = self._loop.create_task(self._open(self._listener.accept()[0]))
            self._opening.add(opening)
            opening.add_done_callback(self._opening.discard)

    async def _open(self, connection: socket.socket) -> None:
        connection.setblocking(False)

        def protocol() -> asyncio.StreamReaderProtocol:
            return asyncio.StreamReaderProtocol(WatchedReader(), self._accept)

        try:
            await self._loop.connect_accepted_socket(protocol, connection)
        except OSError:
            connection.close()

    def _refuse(self) -> None:
        """Take no more connections."""
        if self._listener.fileno() >= 0:
            self._loop.remove_reader(self._listener)
            self._listener.close()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        assert isinstance(reader, WatchedReader)
        self.connections += 1
        # Every event goes out at once; asyncio sees to that only for listeners that it made.
        writer.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        task = self._loop.create_task(self._serve(reader, writer, self.connections))
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)
        # Also of a task that is cancelled before it begins.
        task.add_done_callback(lambda _: writer.transport.abort())

    async def _serve(
        self, reader: WatchedReader, writer: asyncio.StreamWriter, connection: int
    ) -> None:
        # Nothing is left in our buffer after a drain, so that what was sent is really on its way.
        writer.transport.set_write_buffer_limits(high=0)
        try:
            while request := await read_request(reader, connection):
                self.requests.append(request)
                if not await self._answer(request, reader, writer):
                    return
        except BadRequest as error:
            self.problems.append(f"unreadable request: {error}")
            refusal = render(status(400, str(error)), self._completion(None))
            with suppress(ConnectionError):
                await send(refusal, writer)

    async def _answer(
        self, request: Request, reader: WatchedReader, writer: asyncio.StreamWriter
    ) -> bool:
        """Answer a request and tell whether the connection goes on."""
        answering = asyncio.create_task(self._send(request, writer))
        leaving = asyncio.create_task(reader.hung_up.wait())
        outcome: Outcome = "closed_by_server"
        try:
            await asyncio.wait({answering, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if not answering.done():
                outcome = "closed_by_client"
                return False
            ending = answering.result()
            if ending is Ending.END:
                outcome = "answered"
            elif ending is Ending.RESET:
                reset_on_close(writer)
            elif ending is Ending.CRASH:
                self._refuse()
                self._stopping.set()
            return ending is Ending.END and request.headers.get("connection", "").lower() != "close"
        except ConnectionError:
            outcome = "closed_by_client"
            return False
        except Exception:  # Whatever a reply cannot be rendered for is its author's to see.
            self.problems.append(traceback.format_exc())
            return False
        finally:
            answering.cancel()
            leaving.cancel()
            request.end(outcome)

    async def _send(self, request: Request, writer: asyncio.StreamWriter) -> Ending:
        return await send(render(self._reply(request), self._completion(request)), writer)

    def _reply(self, request: Request) -> Reply:
        key = f"{request.method} {request.path.partition('?')[0]}"
        answer = self.routes.get(key, self._chat if _is_chat(request) else _NOT_FOUND)
        try:
            if callable(answer):
                answer = answer(request)
            return answer if isinstance(answer, Reply) else status(200, answer)
        except Exception as error:  # Whatever the author's callable raises is the author's to see.
            self.problems.append(traceback.format_exc())
            return status(500, f"fault server: {key} raised {error!r}")

    def _chat(self, request: Request) -> Any:
        if _json_object(request) is None:
            return status(400, "the body of the request is not a JSON object")
        self._completions += 1
        if self._replies:
            return self._replies.popleft()
        if callable(self.respond):
            return self.respond(request)
        if self.respond is not None:
            return self.respond
        self.problems.append(f"no reply left for completion {self._completions}")
        return status(500, "fault server: no reply left")

    def _completion(self, request: Request | None) -> Completion:
        asked = (request and _json_object(request)) or {}
        options = asked.get("stream_options")
        return Completion(
            number=self._completions,
            model=self._model,
            prompt_tokens=count_tokens(request.body if request else b""),
            stream=asked.get("stream") is True,
            include_usage=isinstance(options, Mapping) and options.get("include_usage") is True,
        )


_NOT_FOUND = status(404, "File Not Found")


def _is_chat(request: Request) -> bool:
    path = request.path.partition("?")[0]
    return request.method == "POST" and path.endswith("/chat/completions")


def _json_object(request: Request) -> dict[str, Any] | None:
    try:
        value = request.json
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
