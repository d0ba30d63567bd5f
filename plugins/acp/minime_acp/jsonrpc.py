"""One end of a JSON-RPC 2.0 conversation."""

from __future__ import annotations

import asyncio
import itertools
import json
import traceback
from collections.abc import Awaitable, Callable
from typing import Any

from acp import RequestError
from pydantic import BaseModel, ValidationError

from minime_acp.lines import Lines
from minime_core.errors import MinimeError

Handle = Callable[[str, Any, bool], Awaitable[Any]]
"""Handles a method with its parameters; the last argument is true for a notification."""

PARSE_ERROR, INVALID_REQUEST, CANCELLED = -32700, -32600, -32800
INVALID_PARAMS, INTERNAL_ERROR = -32602, -32603
MAX_FAULTS = 3
CANCEL = "$/cancel_request"


class Endpoint:
    """Answers requests, and asks some.

    What comes in is begun in the order in which it comes, answers to our own requests included:
    an answer that follows a notification cannot overtake it.
    """

    def __init__(self, lines: Lines, handle: Handle) -> None:
        self._lines = lines
        self._handle = handle
        self._numbers = itertools.count(1)
        self._pending: dict[int, asyncio.Future[Any]] = {}
        self._tasks: dict[asyncio.Task[None], object] = {}
        """What is being handled, with the ids of requests."""

    async def run(self) -> None:
        """Handle what comes until the other end closes."""
        try:
            while line := await self._lines.read():
                if line.strip():
                    await self._take(line)
        except ConnectionError:
            pass  # The other end does not want our answers.

    async def aclose(self) -> None:
        """Cancel what is still being handled, and with it what waits for an answer of ours."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def request(self, method: str, params: Any) -> Any:
        """Ask the other end, and return its result. Raises RequestError and ConnectionError.

        When the caller is cancelled, the other end is told, and a later answer is dropped.
        """
        number = next(self._numbers)
        future = self._pending[number] = asyncio.get_running_loop().create_future()
        try:
            await self._send(id=number, method=method, params=params)
            return await future
        except asyncio.CancelledError:
            try:
                await self.notify(CANCEL, {"requestId": number})
            except ConnectionError:
                pass  # Nobody is there to be told.
            raise
        finally:
            del self._pending[number]

    async def notify(self, method: str, params: Any) -> None:
        """Tell the other end. Raises ConnectionError."""
        await self._send(method=method, params=params)

    async def _take(self, line: bytes) -> None:
        try:
            message = json.loads(line)
        except (ValueError, RecursionError) as error:
            await self._refuse(None, PARSE_ERROR, f"not JSON: {error}"[:200])
            return
        if not isinstance(message, dict):
            await self._refuse(None, INVALID_REQUEST, "a message is a JSON object, one a line")
            return
        number, method = message.get("id"), message.get("method")
        if isinstance(number, bool) or not isinstance(number, str | int | float | None):
            await self._refuse(None, INVALID_REQUEST, "an id is a number or a string")
        elif isinstance(method, str):
            params = message.get("params")
            if method == CANCEL:
                # Not before it has begun: a task that never ran cannot answer.
                asyncio.get_running_loop().call_soon(self._cancel, params)
                return
            work = self._answer(number, method, params) if "id" in message else None
            task = asyncio.create_task(work or self._hear(method, params))
            self._tasks[task] = number
            task.add_done_callback(self._tasks.pop)
        elif "method" not in message and ("result" in message or "error" in message):
            asyncio.get_running_loop().call_soon(self._settle, number, message)
        else:
            await self._refuse(number, INVALID_REQUEST, "neither a request nor an answer")

    def _cancel(self, params: Any) -> None:
        """Cancel a request of the other end, which is then answered with an error."""
        number = params.get("requestId") if isinstance(params, dict) else None
        for task, of in self._tasks.items():
            if of is not None and of == number:
                task.cancel()

    async def _answer(self, number: object, method: str, params: Any) -> None:
        try:
            result = await self._handle(method, params, False)
            await self._send(id=number, result={} if result is None else result)
        except ConnectionError:
            pass  # Nobody waits for it any more.
        except asyncio.CancelledError:
            await self._refuse(number, CANCELLED, "cancelled")
            raise
        except Exception as error:
            failure = request_error(error)
            await self._refuse(number, failure.code, str(failure), failure.data)

    async def _hear(self, method: str, params: Any) -> None:
        try:
            await self._handle(method, params, True)
        except Exception as error:
            # A notification is never answered; of what is ours, `request_error` prints the trace.
            request_error(error)

    def _settle(self, number: object, message: dict[str, Any]) -> None:
        future = self._pending.get(number) if isinstance(number, int) else None
        if future is None or future.done():
            return
        if "error" not in message:
            future.set_result(message["result"])
            return
        error = message["error"] if isinstance(message["error"], dict) else {}
        code = error.get("code")
        text = str(error.get("message", "no reason given"))
        future.set_exception(
            RequestError(code if isinstance(code, int) else INTERNAL_ERROR, text, error.get("data"))
        )

    async def _refuse(self, number: object, code: int, text: str, data: Any = None) -> None:
        error = {"code": code, "message": text, **({} if data is None else {"data": data})}
        try:
            await self._send(id=number, error=error)
        except ConnectionError:
            pass  # Nobody waits for it any more.

    async def _send(self, **message: Any) -> None:
        line = json.dumps(
            {"jsonrpc": "2.0", **message},
            default=_plain,
            ensure_ascii=False,
            separators=(",", ":"),
        )
        await self._lines.write(line.encode("utf-8", "replace") + b"\n")


def request_error(error: Exception) -> RequestError:
    """Return what to answer a request that failed; print the trace of what is our own fault."""
    if isinstance(error, RequestError):
        return error
    if isinstance(error, ValidationError):
        faults = [
            f"{'.'.join(map(str, fault['loc'])) or 'params'}: {fault['msg']}"
            for fault in error.errors(include_url=False, include_input=False)[:MAX_FAULTS]
        ]
        return RequestError(INVALID_PARAMS, f"invalid params: {'; '.join(faults)}")
    text = str(error) if isinstance(error, MinimeError) else f"{type(error).__name__}: {error}"
    if not isinstance(error, MinimeError):
        traceback.print_exception(error)
    return RequestError(INTERNAL_ERROR, text, {"details": text})


def _plain(value: object) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", by_alias=True, exclude_none=True)
    raise TypeError(f"{type(value).__name__} is not JSON")
