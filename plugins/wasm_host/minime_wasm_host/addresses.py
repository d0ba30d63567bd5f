"""Which addresses a module may ask: patterns in a sidecar, and addresses compared with them."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self
from urllib.parse import quote, urlsplit

from minime_shared.web_address import PORTS, SAFE, WebAddress

MAX_URL = 8_000
"""Characters of an address."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Address(WebAddress):
    """An address that a module asks for."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a whole address. Raises ValueError."""
        if len(text) > MAX_URL:
            raise ValueError(f"an address has at most {MAX_URL} characters")
        parts = urlsplit(text)
        if parts.scheme not in PORTS:
            raise ValueError(f"{text[:80]!r} is neither http nor https")
        if parts.username is not None or parts.password is not None:
            raise ValueError("an address with a user or password is not taken")
        query = f"?{quote(parts.query, safe=SAFE)}" if parts.query else ""
        return cls(
            scheme=parts.scheme,
            host=_ascii_host(parts.hostname or ""),
            port=parts.port or PORTS[parts.scheme],
            target=quote(parts.path or "/", safe=SAFE) + query,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """One entry of `hosts`.

    `api.example.com` is https on port 443, `*.example.com` also all names below. Behind a scheme,
    as in `http://127.0.0.1:8080`, stands exactly one origin, which may be on a private network.
    """

    scheme: str
    host: str
    port: int
    is_below: bool = False
    allows_private: bool = False

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read an entry. Raises ValueError."""
        if "://" in text:
            address = Address.parse(text)
            if address.target != "/":
                raise ValueError(f"{text!r} has a path; a grant is for a whole host")
            return cls(
                scheme=address.scheme, host=address.host, port=address.port, allows_private=True
            )
        below = text.startswith("*.")
        name = text.removeprefix("*.")
        if below and "." not in name.strip("."):
            raise ValueError(f"{text!r} is too wide: name a domain, such as *.example.com")
        if not re.fullmatch(r"[^\s/:*?#@\[\]]+", name):
            raise ValueError(
                f"{text!r} is no host: write a name such as api.example.com or *.example.com, or "
                "an origin such as http://127.0.0.1:8080"
            )
        return cls(scheme="https", host=_ascii_host(name), port=443, is_below=below)

    def fits(self, address: Address) -> bool:
        """Return whether the entry is for `address`."""
        if (address.scheme, address.port) != (self.scheme, self.port):
            return False
        if self.is_below:
            return address.host.endswith(f".{self.host}")
        return address.host == self.host


def fitting(hosts: Iterable[str], address: Address) -> Pattern | None:
    """Return the first of the patterns that is for `address`."""
    patterns = (Pattern.parse(text) for text in hosts)
    return next((pattern for pattern in patterns if pattern.fits(address)), None)


def _ascii_host(host: str) -> str:
    if not host:
        raise ValueError("the address has no host")
    if ":" in host:
        return str(ipaddress.IPv6Address(host.partition("%")[0]))
    try:
        name = host.encode("idna").decode("ascii").lower().removesuffix(".")
    except UnicodeError as error:
        raise ValueError(f"{host[:80]!r} is no host name") from error
    if not re.fullmatch(r"[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?", name) or len(name) > 253:
        raise ValueError(f"{host[:80]!r} is no host name")
    return name
