"""The real `mm acp` for the client library, with a scripted server as its model."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from minime_core.testing.command import MM
from minime_core.testing.fault_server import FaultServer


@dataclass(frozen=True)
class RealAgent:
    """What a program needs to start it.

    program: for `MM_BIN`.
    config: a settings file that names the server.
    cwd: a folder to work in.
    variables: the whole environment of a program.
    """

    program: Path
    config: Path
    cwd: Path
    server: FaultServer
    variables: dict[str, str]


@contextmanager
def real_agent(folder: Path, server: FaultServer) -> Iterator[RealAgent]:
    """Prepare one in `folder`, with a home of its own; check in the end that the server is well."""
    program, config, cwd, home = (folder / name for name in ("mm", "c.yaml", "project", "home"))
    program.write_text(f'#!/bin/sh\nexec {shlex.join(MM)} "$@"\n')
    program.chmod(0o755)
    config.write_text(f"provider: llamacpp\nmodel: m\nbase_url: {server.base_url}\n")
    (cwd / ".mm").mkdir(parents=True)
    home.mkdir()
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("MM_", "XDG_"))}
    yield RealAgent(
        program=program,
        config=config,
        cwd=cwd,
        server=server,
        variables={
            **inherited,
            "HOME": str(home),
            "MM_BIN": str(program),
            "MM_PROVIDER": "llamacpp",
            "MM_MODEL": "m",
            "MM_BASE_URL": server.base_url,
        },
    )
    assert server.problems == []
