"""What an answer of 10,000 chunks costs in print mode, each chunk an event and an HTTP chunk."""

from __future__ import annotations

from collections.abc import Mapping

from client import Client
from figures import Figure
from minime_core.testing import Site
from minime_core.testing.fault_server import FaultServer
from minime_core.testing.replies import text

CHUNKS = 10_000
LAYER = """
from contextlib import aclosing
from minime_core import ModelLayer, Phase, hookimpl

async def wrap(request, call_next):
    async with aclosing(call_next(request)) as events:
        async for event in events:
            yield event

@hookimpl
def mm_model_middleware(session):
    return ModelLayer(name="mine", phase=Phase.OBSERVE, wrap=wrap)
"""

FIGURES = (
    Figure(key="stream", title="10,000 chunks over one chunk", unit="s", limit=0.25),
    Figure(key="stream_whole", title="the whole run with 10,000 chunks", unit="s"),
    Figure(key="stream_layer", title="10,000 chunks, added by a plugin's layer", unit="s"),
)


def sample(client: Client) -> dict[str, float]:
    """Return CPU seconds."""
    content = " ".join(f"word{number}" for number in range(CHUNKS))
    many = _answer(client, content)
    site = Site(client.work / "site")
    site.install("layer", LAYER)
    environment = {"PYTHONPATH": str(site.folder)}
    layered = _answer(client, content, environment) - _answer(client, "word", environment)
    few = many - _answer(client, "word")
    return {"stream": few, "stream_whole": many, "stream_layer": layered - few}


def _answer(client: Client, content: str, environment: Mapping[str, str] | None = None) -> float:
    with FaultServer() as server:
        server.enqueue(text(content))
        return client.start(server.base_url, "-p", "hello", environment=environment).finish(content)
