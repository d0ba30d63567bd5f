"""What `mm -p` does between the last byte of the answer and its end."""

from __future__ import annotations

from client import Client
from figures import Figure
from minime_core.testing.fault_server import FaultServer
from minime_core.testing.gate import Gate
from minime_core.testing.replies import finish, hold, raw, text

FIGURES = (Figure(key="exit", title="last byte to the end of the process", unit="ms", limit=60),)


def sample(client: Client) -> dict[str, float]:
    """Return CPU seconds."""
    gate = Gate()
    with FaultServer() as server:
        # The client has worked off all that came before the gate when it is opened.
        end = hold(gate) + raw(b"data: [DONE]\n\n")
        server.enqueue(text("Hello.") + finish(done=False) + end)
        running = client.start(server.base_url, "-p", "hello")
        running.reach(gate)
        before = running.settled_cpu_seconds()
        gate.open()
        return {"exit": running.finish("Hello.") - before}
