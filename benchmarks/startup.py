"""What `mm -p hello` costs until the server sees the first byte, and until it has the question."""

from __future__ import annotations

import socket
from collections.abc import Mapping

from client import PATIENCE, Client, Running
from figures import Figure
from measure import RunFailed
from minime_core.testing.fault_server import FaultServer
from minime_core.testing.http1 import Request
from minime_core.testing.replies import text
from minime_core.testing.steps import Reply

FIGURES = (
    Figure(key="first_byte", title="start to the first request byte", unit="x", limit=2.5),
    Figure(key="question", title="start to the request with the question", unit="x"),
    Figure(key="whole", title="the whole of mm -p hello", unit="x"),
)


def sample(client: Client) -> dict[str, float]:
    """Return CPU seconds."""
    question, whole = until_question(client)
    return {"first_byte": _until_first_byte(client), "question": question, "whole": whole}


def _until_first_byte(client: Client) -> float:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(PATIENCE)
        running = client.start(f"http://127.0.0.1:{listener.getsockname()[1]}/v1", "-p", "hello")
        try:
            connection, _ = listener.accept()
            with connection:
                connection.recv(1)
                return running.cpu_seconds()
        finally:
            running.kill()


def until_question(
    client: Client, tools: int = 0, environment: Mapping[str, str] | None = None
) -> tuple[float, float]:
    """Return the CPU seconds from the start to the request with the question, and to the end.

    tools: how many tools named `module...` the request has to offer.
    environment: variables besides the usual ones.

    Raises RunFailed.
    """
    marks: list[float] = []
    with FaultServer() as server:

        def respond(request: Request) -> Reply:
            marks.append(running.cpu_seconds())
            return text("Hello.")

        server.respond = respond
        running: Running = client.start(server.base_url, "-p", "hello", environment=environment)
        whole = running.finish("Hello.")
        offered = str(server.chat_requests[0].json["tools"]).count("'name': 'module")
    if offered != tools:
        raise RunFailed(f"{offered} tools of modules were offered, not {tools}")
    return marks[0], whole
