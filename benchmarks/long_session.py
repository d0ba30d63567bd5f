"""Conversations of 100 questions in small windows: what the server reads, and what it refuses.

It is compared with a history that only grows, of which a server with an endless window reads each
token once, and with one of which the oldest messages are left out.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from client import Client
from figures import Figure
from measure import RunFailed

SESSION = Path(__file__).parent / "simulated_session.py"
WINDOWS = (4096, 8192, 16_384)


def _figures(window: int) -> tuple[Figure, ...]:
    name = f"100 questions, window of {window // 1024}k"
    return (
        Figure(key=f"outputs_{window}", title=f"{name}: tool output", unit="tokens"),
        Figure(key=f"overflows_{window}", title=f"{name}: overflows", unit="each", limit=0),
        Figure(key=f"summaries_{window}", title=f"{name}: summaries", unit="each"),
        Figure(key=f"prefilled_{window}", title=f"{name}: prefilled", unit="tokens"),
        Figure(key=f"once_{window}", title=f"{name}: over once each", unit="ratio", limit=1.6),
        Figure(key=f"sliding_{window}", title=f"{name}: over sliding", unit="ratio", limit=1),
        Figure(key=f"growth_{window}", title=f"{name}: CPU at the end", unit="ratio", limit=2),
    )


FIGURES = tuple(figure for window in WINDOWS for figure in _figures(window))


def sample(client: Client) -> dict[str, float]:
    """Return the figures of all windows."""
    samples: dict[str, float] = {}
    for window in WINDOWS:
        ours, whole, sliding = (
            _cost(client, window, policy) for policy in ("context", "whole", "sliding")
        )
        samples |= {
            f"{key}_{window}": ours[key]
            for key in ("outputs", "overflows", "summaries", "prefilled")
        }
        samples[f"once_{window}"] = ours["prefilled"] / whole["prefilled"]
        samples[f"sliding_{window}"] = ours["prefilled"] / sliding["prefilled"]
        samples[f"growth_{window}"] = ours["cpu_growth"]
    return samples


def _cost(client: Client, window: int, policy: str) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, SESSION, str(window), policy],
        cwd=client.work,
        env=client.environment,
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        raise RunFailed(f"the simulated session failed: {done.stderr.strip()[-300:]}")
    cost: dict[str, float] = json.loads(done.stdout)
    return cost
