"""Web addresses that were checked, and which machines belong to the public internet.

Here since tools of several plugins reach out: what keeps them off private machines stands once.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass

PORTS = {"http": 80, "https": 443}
SAFE = "/?:@!$&'()*+,;=-._~%[]"
"""Characters that stand in a path or a query as they are."""
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
"""IPv4 addresses behind a translator, RFC 6052."""

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address


@dataclass(frozen=True, slots=True, kw_only=True)
class WebAddress:
    """A web address whose parts are known to be possible.

    host: in ASCII, lower case, without brackets.
    target: path and query.
    """

    scheme: str
    host: str
    port: int
    target: str

    @property
    def authority(self) -> str:
        """Host and port as they stand in an address, the usual port left out."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def origin(self) -> str:
        return f"{self.scheme}://{self.authority}"

    def __str__(self) -> str:
        return self.origin + self.target


def is_public(number: IPAddress) -> bool:
    """Return whether an address belongs to the public internet, whatever form it is written in."""
    if isinstance(number, ipaddress.IPv6Address):
        if number.ipv4_mapped is not None:
            return is_public(number.ipv4_mapped)
        if number in _NAT64:
            return is_public(ipaddress.IPv4Address(int(number) & 0xFFFF_FFFF))
        if number.sixtofour is not None and not is_public(number.sixtofour):
            return False
        if number.is_site_local:
            return False
    return number.is_global and not (number.is_multicast or number.is_reserved)
