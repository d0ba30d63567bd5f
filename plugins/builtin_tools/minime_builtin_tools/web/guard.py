"""Which machines may be reached: public ones, unless the user allows all.

A name is resolved once, here, and the connection goes to the address that was checked: a name that
resolves to something else a moment later gains nothing.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket

from minime_shared.web_address import WebAddress, is_public

from .failure import Code, FetchFailed


async def resolve(address: WebAddress, *, allow_private: bool) -> list[str]:
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
