"""Which model servers run on this machine: their ports, all at once, and the models of each."""

from __future__ import annotations

import http.client
import json
import selectors
import socket
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from urllib.parse import urlsplit

from minime_core.models import ModelRef
from minime_providers.address import is_loopback
from minime_providers.listing import chat_models
from minime_providers.presets import Preset

CONNECT_TIMEOUT = 0.03
"""Seconds that the ports of this machine have, all together, to take a connection."""
ANSWER_TIMEOUT = 2.0
"""Seconds that the servers have, all together, to list their models."""
MAX_LISTING = 1 << 20
"""Most bytes of such a list."""


@dataclass(frozen=True, slots=True)
class Running:
    """A server that answers. Of its `models` one has the name "" while the server loads it."""

    preset: Preset
    models: list[str]

    def refs(self) -> Iterator[ModelRef]:
        """Yield each model, with where it is from for the banner."""
        port = urlsplit(self.preset.base_url).port
        for model in self.models:
            yield ModelRef(
                provider=self.preset.name,
                model=model,
                base_url=self.preset.base_url,
                why=f"{self.preset.summary} runs on port {port}",
            )


def running_servers(presets: Iterable[Preset]) -> list[Running]:
    """Return the servers of `presets` that run here, in that order. Only loopback is looked at."""
    local = [preset for preset in presets if is_loopback(preset.base_url)]
    listings = {url: _Listing(url, sock) for url, sock in _connected(local).items()}
    threads = [threading.Thread(target=one.read, daemon=True) for one in listings.values()]
    for thread in threads:
        thread.start()
    end = time.monotonic() + ANSWER_TIMEOUT
    for thread in threads:
        thread.join(max(end - time.monotonic(), 0))
    for listing in listings.values():
        # A time limit of the socket would begin anew with each byte; this one holds for all.
        listing.hang_up()
    asked = [preset for preset in local if preset.base_url in listings]
    found = ((preset, listings[preset.base_url].models) for preset in asked)
    return [Running(preset, models) for preset, models in found if models]


def _connected(presets: Iterable[Preset]) -> dict[str, socket.socket]:
    """Return a connection to each server that listens, by its address."""
    pending: dict[int, tuple[str, socket.socket]] = {}
    connected: dict[str, socket.socket] = {}
    with selectors.DefaultSelector() as selector:
        for base_url in {preset.base_url for preset in presets}:
            url = urlsplit(base_url)
            sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            sock.setblocking(False)
            sock.connect_ex((url.hostname or "", url.port or 80))
            selector.register(sock, selectors.EVENT_WRITE)
            pending[sock.fileno()] = base_url, sock
        end = time.monotonic() + CONNECT_TIMEOUT
        while pending and (left := end - time.monotonic()) > 0:
            for key, _ in selector.select(left):
                selector.unregister(key.fd)
                base_url, sock = pending.pop(key.fd)
                if sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == 0:
                    connected[base_url] = sock
                else:
                    sock.close()
    for _, sock in pending.values():
        sock.close()
    return connected


class _Listing:
    """The list of models that one server sends. `models` stays empty when it sends none."""

    def __init__(self, base_url: str, sock: socket.socket) -> None:
        self.models: list[str] = []
        self._url = urlsplit(base_url)
        self._socket = sock

    def read(self) -> None:
        """Ask for it; runs in a thread of its own."""
        self._socket.setblocking(True)
        with suppress(OSError, http.client.HTTPException, ValueError, RecursionError):
            self.models = self._ask()

    def _ask(self) -> list[str]:
        with closing(http.client.HTTPConnection(self._url.netloc)) as connection:
            connection.sock = self._socket
            connection.request("GET", f"{self._url.path}/models")
            answer = connection.getresponse()
            body = answer.read(MAX_LISTING)
        if answer.status == 503 and b"loading" in body.lower():
            return [""]
        return chat_models(json.loads(body)) or []

    def hang_up(self) -> None:
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
