"""Which machines may be reached: public ones, unless the user allows all.

A name is resolved once, here, and the connection goes to the address that was checked: a name that
resolves to something else a moment later gains nothing.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket

from .failure import Code, FetchFailed
from .url import Address

_NAT64 = ipaddress.ip_network("64:ff9b::/96")
"""IPv4 addresses behind a translator, RFC 6052."""

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address


async def resolve(address: Address, *, allow_private: bool) -> list[str]:
    """Return the IP addresses of `address`, all of which may be reached. Raises FetchFailed."""
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(
            address.host, address.port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP
        )
    except (OSError, UnicodeError) as error:
        reason = f"there is no host {address.host}"
        raise FetchFailed(Code.CANNOT_REACH, reason) from error
    numbers = [str(entry[4][0]).partition("%")[0] for entry in found]
    if not allow_private:
        for number in numbers:
            if not is_public(ipaddress.ip_address(number)):
                raise FetchFailed(
                    Code.CANNOT_REACH,
                    f"{address.host} is on a private network ({number}), which is not allowed; "
                    "the user can allow it with the setting builtin_tools.fetch_private",
                )
    return list(dict.fromkeys(numbers))


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
