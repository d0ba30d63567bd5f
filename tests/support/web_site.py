"""A web site on loopback."""

from __future__ import annotations

import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self

ARTICLE = (
    "<html><head><title>Title</title><script>let tracked = 1</script></head><body>"
    "<nav><a href='/home'>Home</a></nav><article><h1>Heading</h1>"
    "<p>A paragraph with <a href='/next'>a link</a>, long enough to be one for an extractor.</p>"
    "<ul><li>one</li><li>two</li></ul></article><footer>Copyright</footer></body></html>"
)

Answer = Callable[[BaseHTTPRequestHandler], None]


def page(
    body: str | bytes = ARTICLE,
    media_type: str = "text/html; charset=utf-8",
    *,
    status: int = 200,
    **headers: str,
) -> Answer:
    """Return an answer; `_` in the names of headers stands for `-`."""
    data = body.encode() if isinstance(body, str) else body

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        if media_type:
            handler.send_header("content-type", media_type)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(data)

    return answer


def plain(body: str = "text\n") -> Answer:
    """Return a page that needs no conversion."""
    return page(body, "text/plain")


def redirect(location: str, status: int = 302) -> Answer:
    return page("", "", status=status, location=location)


class Site:
    """Serves what is put into `pages`; all else is 404.

    asked: the paths that were asked for, in order; `hosts`: the host headers that came with them.
    """

    def __init__(self) -> None:
        self.pages: dict[str, Answer] = {}
        self.asked: list[str] = []
        self.hosts: list[str] = []
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                site.asked.append(self.path)
                site.hosts.append(self.headers["host"])
                try:
                    site.pages.get(self.path, page("no", "text/plain", status=404))(self)
                except OSError:
                    pass  # The client has heard enough.

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_port
        self.url = f"http://127.0.0.1:{self.port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
