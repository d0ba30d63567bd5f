"""Requests over HTTP that modules send, sent by `mm` for them, to granted hosts alone.

A module never has a socket. Each hop of a redirect is checked like the first address; a name is
resolved once, and the connection goes to the address that was checked.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import re
import socket
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from minime_shared.web_address import is_public
from minime_wasm_host.addresses import Address, Pattern, fitting
from minime_wasm_host.frames import Data
from minime_wasm_host.grants import Grants
from minime_wasm_host.limits import Limits

if TYPE_CHECKING:
    import httpx

AGENT = "mini-me"
MAX_REDIRECTS = 5
MAX_HEADERS = 50
"""Most headers of a request."""
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_OURS = """
host content-length transfer-encoding connection keep-alive te trailer upgrade expect
accept-encoding proxy-authorization proxy-connection
"""
"""Headers that a module may not set."""
_HARMLESS = frozenset({"accept", "accept-language", "content-type", "user-agent"})
"""Headers that another origin may see after a redirect."""


class Denied(Exception):
    """The request is not sent; the text says why, to the module and through it to the model."""


class _Failed(Exception):
    """The request was sent, or was to be, and brought nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a module asks for."""

    method: str
    address: Address
    headers: Mapping[str, str]
    body: bytes


class Requests:
    """Sends what one module asks for in one call.

    until: when the call ends, in the time of the event loop.
    """

    def __init__(self, grants: Grants, limits: Limits, until: float) -> None:
        self._hosts = grants.hosts
        self._most = limits.http_kb << 10
        self._until = until

    async def answer(self, head: bytes, body: Data) -> tuple[bytes, bytes]:
        """Return status and headers as JSON, and the body; a refusal has status 403."""
        try:
            async with asyncio.timeout_at(self._until):
                status, headers, text = await self._follow(_read(head, body))
        except TimeoutError:
            status, headers, text = 504, {}, b"no answer until the end of the call"
        except Denied as denied:
            status, headers, text = 403, {}, str(denied).encode()
        except _Failed as failed:
            status, headers, text = 502, {}, str(failed).encode()
        return json.dumps({"status": status, "headers": headers}).encode(), text

    async def _follow(self, request: Request) -> tuple[int, dict[str, str], bytes]:
        import httpx

        # No proxy of the user: the address that was checked is connected to.
        async with httpx.AsyncClient(trust_env=False, timeout=None) as client:
            for _ in range(MAX_REDIRECTS + 1):
                number = await self._resolve(request.address, self._allowed(request.address))
                async with _sent(client, request, number) as response:
                    location = response.headers.get("location")
                    if response.has_redirect_location and location:
                        request = _redirected(request, response.status_code, location)
                        continue
                    return (
                        response.status_code,
                        dict(response.headers),
                        await self._body(response),
                    )
        raise Denied(f"more than {MAX_REDIRECTS} redirects")

    def _allowed(self, address: Address) -> Pattern:
        pattern = fitting(self._hosts, address)
        if pattern is None:
            granted = ", ".join(self._hosts) or "none"
            raise Denied(f"{address.origin} is not allowed to this tool; its hosts: {granted}")
        return pattern

    async def _resolve(self, address: Address, pattern: Pattern) -> str:
        loop = asyncio.get_running_loop()
        try:
            found = await loop.getaddrinfo(
                address.host, address.port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP
            )
        except (OSError, UnicodeError) as error:
            raise _Failed(f"there is no host {address.host}") from error
        numbers = [str(entry[4][0]).partition("%")[0] for entry in found]
        for number in numbers:
            if not pattern.allows_private and not is_public(ipaddress.ip_address(number)):
                raise Denied(
                    f"{address.host} is on a private network ({number}), which its sidecar does "
                    "not allow"
                )
        return numbers[0]

    async def _body(self, response: httpx.Response) -> bytes:
        body = bytearray()
        async for piece in response.aiter_raw():
            body += piece
            if len(body) > self._most:
                raise _Failed("the answer is larger than limits.http_kb in the sidecar")
        return bytes(body)


@asynccontextmanager
async def _sent(
    client: httpx.AsyncClient, request: Request, number: str
) -> AsyncIterator[httpx.Response]:
    """Send `request` to the IP address `number`, and yield the answer. Raises _Failed."""
    import httpx

    address = request.address
    host = f"[{number}]" if ":" in number else number
    try:
        sent = client.build_request(
            request.method,
            f"{address.scheme}://{host}:{address.port}{address.target}",
            headers={
                "user-agent": AGENT,
                **request.headers,
                "accept-encoding": "identity",
                "host": address.authority,
            },
            content=request.body or None,
            # The certificate has to be that of the name.
            extensions={"sni_hostname": address.host},
        )
        response = await client.send(sent, stream=True)
        try:
            yield response
        finally:
            await response.aclose()
    except (httpx.TransportError, httpx.InvalidURL) as error:
        raise _Failed(f"{address.host}: {_cause(error)}") from error


def _read(head: bytes, body: Data) -> Request:
    """Read what a module asks for, in the JSON of Extism. Raises Denied."""
    try:
        asked = json.loads(head)
        address = Address.parse(asked["url"])
        method = str(asked.get("method") or "GET").upper()
        headers = dict(_headers(asked.get("headers") or {}))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise Denied(f"not a request that can be sent: {error}") from error
    if method not in _METHODS:
        raise Denied(f"the method {method[:20]!r} is not allowed")
    return Request(method=method, address=address, headers=headers, body=bytes(body))


def _headers(given: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if len(given) > MAX_HEADERS:
        raise ValueError(f"more than {MAX_HEADERS} headers")
    for name, value in given.items():
        text = str(value)
        if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name) or not re.fullmatch(
            r"[\t\x20-\x7e\x80-\xff]*", text
        ):
            raise ValueError(f"the header {name[:40]!r} has characters that no header has")
        if name.lower() not in _OURS.split():
            yield name.lower(), text


def _redirected(request: Request, status: int, location: str) -> Request:
    """Return the request that a redirect leads to. Raises Denied."""
    try:
        address = Address.parse(urljoin(str(request.address), location))
    except ValueError as error:
        raise Denied(f"a redirect leads to what cannot be asked: {error}") from error
    if address.origin != request.address.origin:
        # Keys that are meant for one host are not shown to another.
        kept = {name: v for name, v in request.headers.items() if name in _HARMLESS}
        request = replace(request, headers=kept)
    if status == 303 or (status in (301, 302) and request.method == "POST"):
        request = replace(request, method="GET", body=b"")
    return replace(request, address=address)


def _cause(error: BaseException | None) -> str:
    """Return the innermost reason of a failed connection in words."""
    reason = ""
    while error is not None:
        reason = getattr(error, "strerror", None) or str(error) or reason
        error = error.__cause__ or error.__context__
    return reason or "no connection"
