"""What `mm` does besides computing: processes, requests, connections, fsyncs, bytes on disk."""

from __future__ import annotations

from pathlib import Path

from client import Client
from figures import Figure
from minime_core.testing.fault_server import FaultServer
from minime_core.testing.replies import text, tool_call

RECORDER = Path(__file__).parent / "recorder"
CALLS = 100

FIGURES = (
    Figure(key="hello_processes", title="processes started by mm -p hello", unit="each", limit=0),
    Figure(key="hello_requests", title="requests for the model's answer", unit="each", limit=1),
    Figure(key="hello_others", title="other requests of mm -p hello", unit="each"),
    Figure(key="hello_fsyncs", title="fsyncs of mm -p hello", unit="each", limit=1),
    Figure(key="processes", title="processes a call of bash, 100 calls", unit="each", limit=1),
    Figure(key="requests", title="requests for an answer a call", unit="each", limit=1.01),
    Figure(key="others", title="other requests of 100 calls", unit="each"),
    Figure(key="fsyncs", title="fsyncs of a question with 100 calls", unit="each", limit=1),
    Figure(key="connections", title="connections of 100 calls", unit="each", limit=1),
    Figure(key="session", title="session file over the last request", unit="ratio", limit=1.5),
)


def sample(client: Client) -> dict[str, float]:
    """Return counts."""
    hello, long = _session(client, 0), _session(client, CALLS)
    return {
        "hello_processes": hello["process"],
        "hello_requests": hello["answers"],
        "hello_others": hello["others"],
        "hello_fsyncs": hello["fsync"],
        "processes": long["process"] / CALLS,
        "requests": long["answers"] / CALLS,
        "others": long["others"],
        "fsyncs": long["fsync"],
        "connections": long["connections"],
        "session": long["session"],
    }


def _session(client: Client, calls: int) -> dict[str, float]:
    record = client.work.parent / f"record-{calls}"
    recorded = {"PYTHONPATH": str(RECORDER), "BENCHMARK_RECORD": str(record)}
    before = set(client.session_files())
    with FaultServer(n_ctx=1 << 20) as server:
        for number in range(calls):
            server.enqueue(tool_call("bash", {"command": f"echo {number}"}))
        server.enqueue(text("Done."))
        options = ("--yolo", "--max-turns", str(2 * CALLS), "-p", "Count.")
        client.start(server.base_url, *options, environment=recorded).finish("Done.")
        answers, requests = server.chat_requests, server.requests
    (file,) = set(client.session_files()) - before
    noted = record.read_text().split()
    return {
        "process": noted.count("process"),
        "fsync": noted.count("fsync"),
        "answers": len(answers),
        "others": len(requests) - len(answers),
        "connections": server.connections,
        "session": file.stat().st_size / len(answers[-1].body),
    }
