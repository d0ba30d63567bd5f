"""What trusted WASM modules add to the start of `mm`."""

from __future__ import annotations

import subprocess
import sys

import startup
from client import Client
from figures import Figure
from measure import RunFailed

MODULES = 20
STARTS = 3
"""Starts of each kind, of which the best one counts."""
TRUST = """
import shutil, sys
from dataclasses import replace
from pathlib import Path
from minime_core.bundled import bundled
from minime_wasm_host.places import Module
from minime_wasm_host.store import Store
from minime_wasm_host.trusting import look_at
source = bundled("wasm_tools") / "date_math" / "date_math.wasm"
shipped = Module(name="date_math", path=source, origin="shipped")
store = Store()
for number in range(int(sys.argv[1])):
    name = f"module{number}"
    path = Path.cwd() / ".mm" / "tools" / f"{name}.wasm"
    path.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(source, path)
    module = Module(name=name, path=path, origin="project")
    tools = [replace(tool, name=f"{name}__run") for tool in store.approval(shipped).tools]
    store.approve(module, replace(look_at(module).approval, tools=tuple(tools)))
"""
"""Trusts copies of a shipped module as `mm tools trust` would, without running each of them."""

FIGURES = (
    Figure(key="modules", title="20 trusted modules, added to the start", unit="ms", limit=15),
)


def sample(client: Client) -> dict[str, float]:
    """Return CPU seconds until the question is sent: those with modules less those without."""
    # The first start in a new home does more than all others.
    startup.until_question(client)
    without = _least(client, 0)
    command = [sys.executable, "-c", TRUST, str(MODULES)]
    done = subprocess.run(
        command, cwd=client.work, env=client.environment, capture_output=True, text=True
    )
    if done.returncode != 0:
        raise RunFailed(f"no module is trusted: {done.stderr.strip()[-300:]}")
    return {"modules": _least(client, MODULES) - without}


def _least(client: Client, tools: int) -> float:
    """Return the CPU seconds of the best of some starts; what else runs only adds to them."""
    return min(startup.until_question(client, tools)[0] for _ in range(STARTS))
