"""What an answer of 10,000 chunks costs in print mode, each chunk an event and an HTTP chunk."""

from __future__ import annotations

from client import Client
from figures import Figure
from minime_core.testing.fault_server import FaultServer
from minime_core.testing.replies import text

CHUNKS = 10_000

FIGURES = (
    Figure(key="stream", title="10,000 chunks over one chunk", unit="s", limit=0.25),
    Figure(key="stream_whole", title="the whole run with 10,000 chunks", unit="s"),
)


def sample(client: Client) -> dict[str, float]:
    """Return CPU seconds."""
    many = _answer(client, " ".join(f"word{number}" for number in range(CHUNKS)))
    return {"stream": many - _answer(client, "word"), "stream_whole": many}


def _answer(client: Client, content: str) -> float:
    with FaultServer() as server:
        server.enqueue(text(content))
        return client.start(server.base_url, "-p", "hello").finish(content)
