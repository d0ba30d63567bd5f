"""The one module that imports httpx: one kept-alive client, its errors as ours."""

from __future__ import annotations

import asyncio
import errno
import sys
import time
import types
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing, asynccontextmanager
from urllib.parse import urlsplit

from minime_core.errors import ConnectionFailed, ProtocolError, StreamCut
from minime_providers.address import is_local

if "httpx" not in sys.modules:
    # httpx imports its command line (with rich and pygments, half of its import time) when those
    # are installed; an empty stand-in keeps it from that.
    _stand_in = types.ModuleType("httpx._main")
    _stand_in.main = lambda: None  # type: ignore[attr-defined]
    sys.modules.setdefault("httpx._main", _stand_in)

import httpx

CONNECT_TIMEOUT = 10.0
"""Seconds to wait for a connection. The answer has no limit: prompts take minutes to read."""
MAX_BODY = 64 << 20
"""Most bytes of one answer."""
READ_AT_ONCE = 50
"""Chunks of an answer after which what is coming may gather: a short one is never kept waiting."""
IS_WAITING = 0.0003
"""Seconds without a chunk that tell that the network has no more of them at hand."""
GATHERING = 0.01
"""Seconds for which chunks gather: a fifth of what is between two frames of the terminal."""


class Response:
    """An answer whose body has not been read yet."""

    def __init__(self, inner: httpx.Response) -> None:
        self._inner = inner
        self.status = inner.status_code
        self.headers: Mapping[str, str] = inner.headers

    async def chunks(self) -> AsyncGenerator[bytes, None]:
        """Yield the body as it comes, what arrived together in one piece.

        Raises StreamCut when the connection breaks, ProtocolError for a body that is too long or
        compressed, which was not asked for: a few bytes can hide gigabytes.
        """
        if self.headers.get("content-encoding", "identity") != "identity":
            raise ProtocolError("the server compressed its answer, although it was asked not to")
        arrived: list[bytes] = []
        has_more = asyncio.Event()
        # httpx gives each of the small chunks of a stream alone, even when one read brought a
        # hundred of them; a reader of its own does not wait between those.
        reader = asyncio.create_task(self._read(arrived, has_more))
        try:
            while not reader.done() or arrived:
                await has_more.wait()
                has_more.clear()
                if arrived:
                    together = b"".join(arrived)
                    arrived.clear()
                    yield together
            await reader
        except httpx.TransportError as error:
            raise StreamCut("the server broke off in the middle of its answer") from error
        finally:
            reader.cancel()
            await asyncio.wait([reader])

    async def _read(self, arrived: list[bytes], has_more: asyncio.Event) -> None:
        total = count = 0
        try:
            asked = time.monotonic()
            async for chunk in self._inner.aiter_raw():
                total += len(chunk)
                count += 1
                if total > MAX_BODY:
                    raise ProtocolError(f"the server sent more than {MAX_BODY >> 20} MB")
                arrived.append(chunk)
                has_more.set()
                # Most of what a fast model costs is to wake up for each token: let some gather.
                if count > READ_AT_ONCE and time.monotonic() - asked > IS_WAITING:
                    await asyncio.sleep(GATHERING)
                asked = time.monotonic()
        finally:
            has_more.set()

    async def body(self, limit: int) -> bytes:
        """Return at most `limit` bytes of the body. Raises as `chunks` does."""
        read = bytearray()
        async with aclosing(self.chunks()) as chunks:
            async for chunk in chunks:
                read += chunk
                if len(read) >= limit:
                    break
        return bytes(read[:limit])


class Client:
    """HTTP to one server. Redirects are not followed: a key must not travel."""

    def __init__(self, base_url: str, headers: Mapping[str, str]) -> None:
        self._client = httpx.AsyncClient(
            headers={"user-agent": "mini-me", "accept-encoding": "identity", **headers},
            timeout=httpx.Timeout(None, connect=CONNECT_TIMEOUT),
            # Loading certificates costs 40 ms that plain HTTP need not pay.
            verify=urlsplit(base_url).scheme == "https",
            # A proxy cannot reach the servers of this machine.
            trust_env=not is_local(base_url),
        )

    @asynccontextmanager
    async def open(
        self, method: str, url: str, body: bytes | None = None
    ) -> AsyncGenerator[Response, None]:
        """Send a request and yield its answer; the connection is kept when the body is read.

        Raises ConnectionFailed.
        """
        headers = {"content-type": "application/json"} if body else None
        try:
            request = self._client.build_request(method, url, content=body, headers=headers)
            response = await self._send(request)
        except (httpx.TransportError, httpx.InvalidURL) as error:
            failure = ConnectionFailed(_reason(error))
            failure.refused = _is_refused(error)
            raise failure from error
        try:
            yield Response(response)
        finally:
            await response.aclose()

    async def _send(self, request: httpx.Request) -> httpx.Response:
        connected = False

        async def trace(event: str, info: object) -> None:
            nonlocal connected
            connected = connected or event == "connection.connect_tcp.started"

        request.extensions["trace"] = trace
        try:
            return await self._client.send(request, stream=True)
        except (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError):
            # Servers close a kept connection after a few idle seconds, such as while a tool runs;
            # the request then never reached them.
            if connected:
                raise
            return await self._client.send(request, stream=True)

    async def aclose(self) -> None:
        await self._client.aclose()


def _reason(error: BaseException) -> str:
    if isinstance(error, httpx.ConnectTimeout):
        return f"no connection within {CONNECT_TIMEOUT:.0f} s"
    inner = next((e for e in _causes(error) if isinstance(e, OSError) and e.strerror), error)
    return getattr(inner, "strerror", "") or str(inner) or type(inner).__name__


def _is_refused(error: BaseException) -> bool:
    # 10061 is Windows' number for it.
    refused = (errno.ECONNREFUSED, 10061)
    return any(isinstance(e, OSError) and e.errno in refused for e in _causes(error))


def _causes(error: BaseException | None) -> list[BaseException]:
    """Return `error` and all that led to it."""
    found: list[BaseException] = []
    while error is not None:
        found.append(error)
        if isinstance(error, BaseExceptionGroup):
            for inner in error.exceptions:
                found += _causes(inner)
        error = error.__cause__ or error.__context__
    return found
