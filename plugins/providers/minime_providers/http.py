"""The one module that imports httpx: one kept-alive client, its errors as ours."""

from __future__ import annotations

import errno
import ipaddress
import sys
import types
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from minime_core.errors import ConnectionFailed, ProtocolError, StreamCut

if TYPE_CHECKING:
    import httpx

CONNECT_TIMEOUT = 10.0
"""Seconds to wait for a connection. There is no limit for the answer: prompts take minutes to read."""
MAX_BODY = 64 << 20
"""Most bytes of one answer."""


def _import_httpx() -> Any:
    # httpx imports its command line (with rich and pygments, half of its import time) when those are
    # installed; an empty stand-in keeps it from that.
    if "httpx" not in sys.modules:
        stand_in = types.ModuleType("httpx._main")
        stand_in.main = lambda: None  # type: ignore[attr-defined]
        sys.modules.setdefault("httpx._main", stand_in)
    import httpx

    return httpx


def is_local(url: str) -> bool:
    """Return whether `url` is on this machine or in a private network."""
    host = urlsplit(url).hostname or ""
    if host in ("localhost", "host.docker.internal"):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or address.is_private


class Response:
    """An answer whose body has not been read yet."""

    def __init__(self, inner: httpx.Response, label: str) -> None:
        self._inner = inner
        self._label = label
        self.status = inner.status_code
        self.headers: Mapping[str, str] = inner.headers

    async def chunks(self) -> AsyncGenerator[bytes, None]:
        """Yield the body as it comes. Raises StreamCut when the connection breaks."""
        httpx = _import_httpx()
        total = 0
        try:
            async for chunk in self._inner.aiter_bytes():
                total += len(chunk)
                if total > MAX_BODY:
                    raise ProtocolError(f"{self._label} sent more than {MAX_BODY >> 20} MB")
                yield chunk
        except httpx.DecodingError as error:
            raise ProtocolError(f"{self._label} sent a body that cannot be decoded") from error
        except httpx.TransportError as error:
            raise StreamCut(f"{self._label} broke off in the middle of its answer") from error

    async def text(self, limit: int = MAX_BODY) -> str:
        """Return at most `limit` bytes of the body as text."""
        body = b""
        async for chunk in self.chunks():
            body += chunk
            if len(body) >= limit:
                break
        return body[:limit].decode("utf-8", "replace")


class Client:
    """HTTP to one server. Redirects are not followed: a key must not travel."""

    def __init__(self, base_url: str, headers: Mapping[str, str]) -> None:
        httpx = _import_httpx()
        self._label = f"the server at {urlsplit(base_url).netloc}"
        self._has_answered = False
        local = is_local(base_url)
        self._client = httpx.AsyncClient(
            headers={"user-agent": "mini-me", **headers},
            timeout=httpx.Timeout(None, connect=CONNECT_TIMEOUT),
            # Loading certificates costs 40 ms that plain HTTP need not pay.
            verify=urlsplit(base_url).scheme == "https",
            # A proxy cannot reach the servers of this machine.
            trust_env=not local,
        )

    @asynccontextmanager
    async def open(
        self, method: str, url: str, body: bytes | None = None, timeout: float | None = None
    ) -> AsyncGenerator[Response, None]:
        """Send a request and yield its answer; the connection is kept unless the body is left unread.

        timeout: seconds without a byte; None waits for ever.
        Raises ConnectionFailed.
        """
        httpx = _import_httpx()
        request = self._client.build_request(
            method,
            url,
            content=body,
            headers={"content-type": "application/json"} if body else None,
            timeout=httpx.Timeout(timeout, connect=CONNECT_TIMEOUT),
        )
        try:
            try:
                response = await self._client.send(request, stream=True)
            except (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError):
                # Servers close a kept connection after a few idle seconds, such as while a tool
                # runs; the request then never reached them.
                if not self._has_answered:
                    raise
                response = await self._client.send(request, stream=True)
        except (httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
            raise ConnectionFailed(f"{url} is not an address of a server: {error}") from error
        except httpx.TransportError as error:
            failure = ConnectionFailed(f"{self._label} does not answer ({_reason(error)})")
            failure.refused = _is_refused(error)
            raise failure from error
        self._has_answered = True
        try:
            yield Response(response, self._label)
        finally:
            await response.aclose()

    async def aclose(self) -> None:
        await self._client.aclose()


def _reason(error: BaseException) -> str:
    return str(error) or type(error).__name__


def _is_refused(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, OSError) and error.errno in (errno.ECONNREFUSED, 10061):
            return True
        if isinstance(error, ExceptionGroup):
            return any(_is_refused(inner) for inner in error.exceptions)
        error = error.__cause__ or error.__context__
    return False
