"""Addresses of servers: which are usable, which are on this machine."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

from minime_core.errors import ConfigError


def checked_url(url: str) -> str:
    """Return `url` without a slash at its end. Raises ConfigError when it is no server's address.

    An address with a user and a password is refused, and not repeated: addresses are shown.
    """
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        usable, parts = False, urlsplit("")
    if "@" in url:
        raise ConfigError("base_url holds a user or a password: use api_key_env for the key")
    if not usable or parts.query or parts.fragment or not (url.isascii() and url.isprintable()):
        raise ConfigError(f"base_url is {url!r}; it has to be like http://127.0.0.1:8080/v1")
    return url.rstrip("/")


def is_local(url: str) -> bool:
    """Return whether `url` is on this machine or in a private network."""
    host = urlsplit(url).hostname or ""
    if host in ("localhost", "host.docker.internal", "model-runner.docker.internal"):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or address.is_private


def is_loopback(url: str) -> bool:
    """Return whether `url` is on this machine, by its IPv4 address."""
    return (urlsplit(url).hostname or "").startswith("127.")
