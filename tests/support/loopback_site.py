"""A web site on loopback that modules may or may not ask."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self


@dataclass
class Asked:
    """A request that came in; names of headers in lower case."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Page:
    """What a path is answered with.

    gate: keeps the answer back until it is set.
    reached: is set when somebody asks.
    """

    body: bytes = b""
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    gate: threading.Event | None = None
    reached: threading.Event = field(default_factory=threading.Event)


def redirect(location: str, status: int = 302) -> Page:
    return Page(status=status, headers=(("location", location),))


class LoopbackSite:
    """Serves `pages`; all else is 404. `asked` are the requests, in order."""

    def __init__(self) -> None:
        self.pages: dict[str, Page] = {}
        self.asked: list[Asked] = []
        site = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self) -> None:
                size = int(self.headers.get("content-length", 0))
                headers = {name.lower(): value for name, value in self.headers.items()}
                body = self.rfile.read(size)
                site.asked.append(Asked(self.command, self.path, headers, body))
                page = site.pages.get(self.path, Page(b"not here", 404))
                page.reached.set()
                if page.gate is not None:
                    page.gate.wait(30)
                self.send_response(page.status)
                for name, value in page.headers:
                    self.send_header(name, value)
                self.send_header("content-length", str(len(page.body)))
                self.end_headers()
                try:
                    self.wfile.write(page.body)
                except OSError:
                    pass  # Who asked has heard enough.

            do_GET = do_POST = do_PUT = do_HEAD = answer  # noqa: N815

            def log_message(self, *arguments: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=[0.01])

    @property
    def port(self) -> int:
        return self._server.server_address[1]

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
