"""What one more call of a tool costs: the request, the answer with the call, `echo`, the result."""

from __future__ import annotations

import statistics
from itertools import pairwise

from client import Client, Running
from figures import Figure
from minime_core.testing.fault_server import FaultServer
from minime_core.testing.http1 import Request
from minime_core.testing.replies import text, tool_call
from minime_core.testing.steps import Reply

FEW, MANY = 20, 100

FIGURES = (
    Figure(key="round_trip", title="round trip with echo, shell included", unit="ms", limit=4),
    Figure(key="early", title="round trip 2-11, without the shell", unit="ms"),
    Figure(key="late", title="round trip 91-100, without the shell", unit="ms"),
    Figure(key="growth", title="round trip 91-100 over 2-11", unit="ratio"),
)


def sample(client: Client) -> dict[str, float]:
    """Return CPU seconds of a round trip: the slope between a short and a long session."""
    few, _ = _session(client, FEW)
    many, marks = _session(client, MANY)
    trips = [after - before for before, after in pairwise(marks)]
    early, late = statistics.median(trips[1:11]), statistics.median(trips[90:100])
    return {
        "round_trip": (many - few) / (MANY - FEW),
        "early": early,
        "late": late,
        "growth": late / early,
    }


def _session(client: Client, calls: int) -> tuple[float, list[float]]:
    """Return the CPU seconds of a session, and those used when each request came."""
    marks: list[float] = []
    with FaultServer(n_ctx=1 << 20) as server:

        def respond(request: Request) -> Reply:
            marks.append(running.cpu_seconds())
            if len(marks) > calls:
                return text("Done.")
            return tool_call("bash", {"command": f"echo {len(marks)}"})

        server.respond = respond
        running: Running = client.start(
            server.base_url, "--yolo", "--max-turns", str(2 * MANY), "-p", "Count."
        )
        return running.finish("Done."), marks
