"""Get a page over HTTP, within limits of time, size, redirects and addresses."""

from __future__ import annotations

import asyncio
import os
import ssl
import zlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpx

from minime_shared.web_address import WebAddress

from .failure import Code, FetchFailed
from .guard import resolve
from .robots import MAX_BYTES as MAX_ROBOTS
from .robots import Robots
from .url import redirected

AGENT = "mini-me"
MAX_PAGE = 16 << 20
"""Bytes of a page."""
MAX_REDIRECTS = 10
PATIENCE = 30.0
"""Seconds that everything may take until the last byte."""
_CONNECT = 10.0
"""Seconds to wait for a connection, and for each next piece."""
_MAX_TRIES = 3
"""Addresses of one host that are tried."""

_HEADERS = {
    "user-agent": AGENT,
    "accept": "text/html, text/markdown, text/plain, application/pdf, */*;q=0.5",
    "accept-encoding": "gzip",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What a server sent.

    address: where it was at last.
    media_type: lower case, without parameters; "" when the server said none.
    charset: as the server said, else "".
    """

    address: WebAddress
    media_type: str
    charset: str
    body: bytes


async def download(address: WebAddress, *, allow_private: bool = False) -> Page:
    """Return the page at `address`, after redirects. Raises FetchFailed."""
    try:
        async with asyncio.timeout(PATIENCE):
            # No proxy of the user: the address that was checked is connected to. No connection is
            # kept: one made for another name of that address has shown another certificate.
            async with httpx.AsyncClient(
                trust_env=False,
                timeout=_CONNECT,
                limits=httpx.Limits(max_keepalive_connections=0),
            ) as client:
                return await _Site(client, allow_private).page(address)
    except TimeoutError as error:
        reason = f"{address.host} did not answer within {PATIENCE:.0f} s"
        raise FetchFailed(Code.CANNOT_REACH, reason) from error


class _Site:
    """Follows redirects from page to page, and asks each site for its rules."""

    def __init__(self, client: httpx.AsyncClient, allow_private: bool) -> None:
        self._client = client
        self._allow_private = allow_private
        self._robots: dict[str, Robots] = {}

    async def page(self, address: WebAddress) -> Page:
        for _ in range(MAX_REDIRECTS + 1):
            if not (await self._rules(address)).allows(address.target):
                reason = f"{address.host} does not let programs read {address} (robots.txt)"
                raise FetchFailed(Code.CANNOT_REACH, reason)
            async with self._get(address) as response:
                if response.has_redirect_location:
                    address = redirected(address, response.headers["location"])
                    continue
                if response.status_code != 200:
                    reason = f"{address} answered with status {response.status_code}"
                    raise FetchFailed(Code.CANNOT_REACH, reason)
                media_type, _, _ = response.headers.get("content-type", "").partition(";")
                return Page(
                    address=address,
                    media_type=media_type.strip().lower(),
                    charset=response.charset_encoding or "",
                    body=await _body(response, MAX_PAGE),
                )
        raise FetchFailed(Code.CANNOT_REACH, f"more than {MAX_REDIRECTS} redirects")

    async def _rules(self, address: WebAddress) -> Robots:
        """Return the rules of the site; one that has none, or refuses to tell, allows all."""
        if address.origin not in self._robots:
            self._robots[address.origin] = Robots(await self._robots_text(address), AGENT)
        return self._robots[address.origin]

    async def _robots_text(self, address: WebAddress) -> str:
        place = redirected(address, "/robots.txt")
        for _ in range(MAX_REDIRECTS + 1):
            async with self._get(place) as response:
                if response.has_redirect_location:
                    place = redirected(place, response.headers["location"])
                    continue
                if response.status_code >= 500:
                    # The rules are not known, so that the RFC forbids all.
                    reason = f"{place} answered with status {response.status_code}"
                    raise FetchFailed(Code.CANNOT_REACH, reason)
                if response.status_code != 200:
                    return ""
                return (await _body(response, MAX_ROBOTS, cut=True)).decode("utf-8", "replace")
        return ""

    @asynccontextmanager
    async def _get(self, address: WebAddress) -> AsyncIterator[httpx.Response]:
        """Send a request to one of the checked IP addresses, and yield the answer."""
        numbers = await resolve(address, allow_private=self._allow_private)
        response = await self._first_answer(address, numbers[:_MAX_TRIES])
        try:
            yield response
        except (httpx.TransportError, zlib.error) as error:
            raise FetchFailed(Code.CANNOT_REACH, f"{address.host} broke off") from error
        finally:
            await response.aclose()

    async def _first_answer(self, address: WebAddress, numbers: list[str]) -> httpx.Response:
        failure: Exception | None = None
        for number in numbers:
            host = f"[{number}]" if ":" in number else number
            request = self._client.build_request(
                "GET",
                f"{address.scheme}://{host}:{address.port}{address.target}",
                headers=_HEADERS | {"host": address.authority},
                # The certificate has to be that of the name.
                extensions={"sni_hostname": address.host},
            )
            try:
                return await self._client.send(request, stream=True)
            except (httpx.TransportError, httpx.InvalidURL) as error:
                failure = error
        reason = f"{address.host}: {_cause(failure)}"
        raise FetchFailed(Code.CANNOT_REACH, reason) from failure


async def _body(response: httpx.Response, limit: int, *, cut: bool = False) -> bytes:
    """Return at most `limit` bytes, however they are compressed.

    cut: whether the beginning is enough. Raises FetchFailed otherwise.
    """
    coding = response.headers.get("content-encoding", "identity").strip().lower()
    if coding not in ("identity", "gzip", "x-gzip", "deflate"):
        raise FetchFailed(Code.CANNOT_CONVERT, f"it is compressed as {coding[:40]}")
    # 32 lets zlib find out whether it is gzip or zlib.
    unpacker = None if coding == "identity" else zlib.decompressobj(zlib.MAX_WBITS | 32)
    body = bytearray()
    async for piece in response.aiter_raw():
        body += unpacker.decompress(piece, limit + 1 - len(body)) if unpacker else piece
        if len(body) > limit:
            if cut:
                return bytes(body[:limit])
            raise FetchFailed(Code.CANNOT_CONVERT, f"it is larger than {limit >> 20} MB")
    return bytes(body)


def _cause(error: BaseException | None) -> str:
    """Return the innermost reason of a failed connection in words."""
    reason = "no connection"
    while error is not None:
        reason = str(error) or reason
        if isinstance(error, OSError) and error.errno and not isinstance(error, ssl.SSLError):
            reason = os.strerror(error.errno)
        error = error.__cause__ or error.__context__
    return reason
