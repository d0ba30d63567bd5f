"""A client that speaks the bare protocol, and remembers what it is told."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from inspect import isawaitable
from pathlib import Path
from typing import Any

from minime_acp.serving import serve
from minime_core.assembly import Options

Answer = Callable[[dict[str, Any]], Any]


class Refused(Exception):
    """The answer was an error."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(f"{error['code']}: {error['message']}")
        self.code: int = error["code"]
        self.message: str = error["message"]
        self.data = error.get("data")


class Client:
    """One client.

    answers: how requests of the agent are answered, by method; a method that is not in it is not
        found. A function may be async, and may raise `Refused`.
    updates: all updates, as session id and update.
    heard: all messages, in the order of the wire.
    agent: what the agent said of itself.
    """

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, cwd: Path
    ) -> None:
        self.answers: dict[str, Answer] = {}
        self.updates: list[tuple[str, dict[str, Any]]] = []
        self.heard: list[dict[str, Any]] = []
        self.agent: dict[str, Any] = {}
        self.cwd = cwd
        self._reader = reader
        self._writer = writer
        self._numbers = itertools.count(1)
        self._waiting: dict[Any, asyncio.Future[dict[str, Any]]] = {}
        self._news = asyncio.Condition()
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def numbers(self) -> set[Any]:
        """The ids of the requests that wait for an answer."""
        return {*self._waiting}

    def write(self, data: bytes) -> None:
        """Send bytes as they are."""
        self._writer.write(data)

    def send(self, **message: Any) -> None:
        self.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def begin(self, method: str, **params: Any) -> asyncio.Future[dict[str, Any]]:
        """Send a request at once; the future brings the whole answer."""
        number = next(self._numbers)
        future = self._waiting[number] = asyncio.get_running_loop().create_future()
        self.send(id=number, method=method, params=params)
        return future

    async def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Return the result of a request. Raises Refused."""
        return result_of(await self.begin(method, **params))

    def tell(self, method: str, **params: Any) -> None:
        self.send(method=method, params=params)

    async def new(self, cwd: Path | None = None, **params: Any) -> str:
        """Open a session and return its id."""
        answer = await self.ask("session/new", cwd=str(cwd or self.cwd), mcpServers=[], **params)
        session: str = answer["sessionId"]
        return session

    def begin_prompt(self, session: str, text: str) -> asyncio.Future[dict[str, Any]]:
        prompt = [{"type": "text", "text": text}]
        return self.begin("session/prompt", sessionId=session, prompt=prompt)

    async def prompt(self, session: str, text: str) -> dict[str, Any]:
        """Return the result of a prompt. Raises Refused."""
        return result_of(await self.begin_prompt(session, text))

    async def until(self, wanted: Callable[[], Any]) -> Any:
        """Wait until `wanted` returns something true, and return it."""
        async with self._news:
            await self._news.wait_for(wanted)
        return wanted()

    def of(self, session: str, *kinds: str) -> list[dict[str, Any]]:
        """Return the updates of a session, of some kinds."""
        return [
            update
            for name, update in self.updates
            if name == session and (not kinds or update["sessionUpdate"] in kinds)
        ]

    def text(self, session: str, kind: str = "agent_message_chunk") -> str:
        return "".join(update["content"]["text"] for update in self.of(session, kind))

    async def listen(self) -> None:
        """Take what comes until the agent has left."""
        while line := await self._reader.readline():
            message = json.loads(line)
            assert message["jsonrpc"] == "2.0"
            self.heard.append(message)
            if message.get("method") == "session/update":
                params = message["params"]
                self.updates.append((params["sessionId"], params["update"]))
            elif "method" in message and "id" in message:
                task = asyncio.create_task(self._answer(message))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
            elif future := self._waiting.pop(message.get("id"), None):
                future.set_result(message)
            async with self._news:
                self._news.notify_all()

    async def _answer(self, message: dict[str, Any]) -> None:
        answer = self.answers.get(message["method"])
        try:
            if answer is None:
                raise Refused({"code": -32601, "message": "Method not found"})
            result = answer(message["params"])
            result = await result if isawaitable(result) else result
            self.send(id=message["id"], result=result)
        except Refused as refused:
            self.send(id=message["id"], error={"code": refused.code, "message": refused.message})

    async def stop(self) -> None:
        for task in [*self._tasks]:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


def result_of(answer: dict[str, Any]) -> dict[str, Any]:
    """Return the result in an answer. Raises Refused."""
    if "error" in answer:
        raise Refused(answer["error"])
    result: dict[str, Any] = answer["result"]
    return result


def choose(option: str) -> Answer:
    """Return what answers every question of permission in the same way."""
    return lambda params: {"outcome": {"outcome": "selected", "optionId": option}}


@asynccontextmanager
async def connected(options: Options, cwd: Path) -> AsyncIterator[Client]:
    """Serve a client in this process."""
    ours, theirs = socket.socketpair()
    with theirs:
        source, sink = os.dup(theirs.fileno()), os.dup(theirs.fileno())
    reader, writer = await asyncio.open_connection(sock=ours, limit=1 << 26)
    client = Client(reader, writer, cwd)
    serving = asyncio.create_task(serve(options, source, sink))
    listening = asyncio.create_task(client.listen())
    try:
        yield client
    finally:
        writer.write_eof()
        await serving
        await listening
        await client.stop()
        writer.close()
        await writer.wait_closed()
