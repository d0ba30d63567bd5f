"""Addresses as models write them."""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import quote, urljoin, urlsplit

from minime_shared.web_address import PORTS, SAFE, WebAddress

from .failure import Code, FetchFailed

MAX_URL = 2_000
"""Characters of an address."""

_MARKDOWN = re.compile(r"\[[^\]]*\]\((\S+)\)")
_SCHEME = re.compile(r"(https?)(?::/*|/{2,})", re.IGNORECASE)
_OTHER_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:(?!\d+(?:[/?#]|$))", re.IGNORECASE)
_LOCAL = re.compile(r"(?:localhost|\d+(?:\.\d+){3}|\[[^]]*\])(?:[:/?#]|$)", re.IGNORECASE)
"""Hosts that rarely have a certificate."""


def repair(text: str) -> WebAddress:
    """Read an address, also one without a scheme or with a mistyped one.

    Raises FetchFailed.
    """
    text = text.strip().strip("<>\"'`").strip()
    if match := _MARKDOWN.fullmatch(text):
        text = match[1]
    if match := _SCHEME.match(text):
        return parse(f"{match[1].lower()}://{text[match.end() :]}")
    if _OTHER_SCHEME.match(text):
        raise _wrong(f"{text[:80]!r} is neither http nor https")
    text = text.lstrip("/")
    return parse(f"{'http' if _LOCAL.match(text) else 'https'}://{text}")


def parse(text: str) -> WebAddress:
    """Read a whole address. Raises FetchFailed."""
    if len(text) > MAX_URL:
        raise _wrong(f"the address is longer than {MAX_URL} characters")
    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port
        has_login = parts.username is not None or parts.password is not None
        target = quote(parts.path or "/", safe=SAFE)
        query = quote(parts.query, safe=SAFE)
    except ValueError as error:
        raise _wrong(f"{text[:80]!r} is no address: {error}") from error
    if parts.scheme not in PORTS:
        raise _wrong(f"{text[:80]!r} is neither http nor https")
    if has_login:
        raise _wrong("an address with a user or password is not taken")
    usual = PORTS[parts.scheme]
    return WebAddress(
        scheme=parts.scheme,
        host=_ascii_host(host),
        port=usual if port is None else port,
        target=f"{target}?{query}" if query else target,
    )


def redirected(address: WebAddress, location: str) -> WebAddress:
    """Return where a redirect from `address` leads. Raises FetchFailed."""
    try:
        joined = urljoin(str(address), location.strip())
    except ValueError as error:
        raise FetchFailed(Code.CANNOT_REACH, f"{address} redirects to no address") from error
    try:
        return parse(joined)
    except FetchFailed as failed:
        reason = f"{address} redirects to what cannot be followed: {failed.args[0]}"
        raise FetchFailed(Code.CANNOT_REACH, reason) from failed


def _ascii_host(host: str) -> str:
    if not host:
        raise _wrong("the address has no host")
    try:
        if ":" in host:
            return str(ipaddress.IPv6Address(host.partition("%")[0]))
        # IDNA as of 2003, which every Python has, takes the names that are in use.
        name = host.encode("idna").decode("ascii").lower().removesuffix(".")
    except ValueError as error:
        raise _wrong(f"{host[:80]!r} is no host name") from error
    if not re.fullmatch(r"[a-z0-9_]([a-z0-9_.-]*[a-z0-9_.])?", name) or len(name) > 253:
        raise _wrong(f"{host[:80]!r} is no host name")
    return name


def _wrong(reason: str) -> FetchFailed:
    return FetchFailed(Code.WRONG_ARGUMENT, reason)
