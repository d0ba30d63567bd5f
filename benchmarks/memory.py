"""How much memory `mm -p hello` takes at its peak."""

from __future__ import annotations

import subprocess
import sys

from client import Client
from figures import Figure
from measure import RunFailed
from minime_core.testing.fault_server import FaultServer
from minime_core.testing.replies import text

# A process inherits the peak of the one that starts it, so a small one has to start it.
LAUNCHER = """
import os, sys
null = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in (0, 1)]
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=null)
_, status, usage = os.wait4(pid, 0)
print(usage.ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(status))
"""
UNIT = 1 if sys.platform == "darwin" else 1024
"""Bytes in which the system counts `ru_maxrss`."""

FIGURES = (Figure(key="memory", title="peak memory of mm -p hello", unit="MB", limit=60),)


def sample(client: Client) -> dict[str, float]:
    """Return the peak of the resident set in MB of a million bytes."""
    with FaultServer() as server:
        server.enqueue(text("Hello."))
        command = client.command(server.base_url, "-p", "hello")
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", LAUNCHER, *command],
            cwd=client.work,
            env=client.environment,
            capture_output=True,
            text=True,
        )
    if done.returncode != 0:
        raise RunFailed(f"mm ended with {done.returncode}: {done.stderr.strip()[-300:]}")
    return {"memory": int(done.stdout) * UNIT / 1e6}
