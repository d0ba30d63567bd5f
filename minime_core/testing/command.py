"""`mm` as a process, with a scripted server as its model."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from .fault_server import FaultServer
from .site import Site

MM = (sys.executable, "-c", "from minime_core.cli.main import main; main()")
"""The command, whether or not it is on the path."""
TIMEOUT = 60.0
"""Seconds after which a run is taken for one that never ends."""


class Outcome(NamedTuple):
    """How a run of `mm` ended: its exit code, and what it printed."""

    code: int
    out: str
    err: str


class Mm:
    """Runs `mm` in a folder, with `server` as its model.

    cwd: the folder.
    site: plugins that are installed for it, besides those of this Python.
    options: go before the arguments of each run.
    """

    def __init__(self, cwd: Path, server: FaultServer, site: Site | None = None) -> None:
        self.cwd = cwd
        self.server = server
        self.site = site
        self.options = ["--base-url", server.base_url, "--provider", "llamacpp", "--model", "m"]

    def environment(self, env: Mapping[str, str] | None = None) -> dict[str, str]:
        """Return the variables of this process and `env`, with the site on the path of Python."""
        environment = {**os.environ, **(env or {})}
        if self.site is not None:
            inherited = environment.get("PYTHONPATH")
            folders = [str(self.site.folder), *([inherited] if inherited else [])]
            environment["PYTHONPATH"] = os.pathsep.join(folders)
        return environment

    def start(
        self, *arguments: str | bytes, env: Mapping[str, str] | None = None, **options: Any
    ) -> subprocess.Popen[bytes]:
        """Start `mm`; stdin is empty, what it prints goes into pipes.

        env: variables besides those of this process.
        options: more for `Popen`.
        """
        options = {
            "stdin": subprocess.DEVNULL,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
            "cwd": self.cwd,
            "env": self.environment(env),
            **options,
        }
        return subprocess.Popen([*MM, *self.options, *arguments], **options)

    def run(
        self,
        *arguments: str | bytes,
        input: bytes | None = None,
        env: Mapping[str, str] | None = None,
    ) -> Outcome:
        """Run `mm` to its end.

        input: what is piped in.
        env: variables besides those of this process.

        Raises subprocess.TimeoutExpired after a minute; the process is killed then.
        """
        stdin = subprocess.DEVNULL if input is None else subprocess.PIPE
        with self.start(*arguments, env=env, stdin=stdin) as process:
            try:
                out, err = process.communicate(input, timeout=TIMEOUT)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
        return Outcome(process.returncode, out.decode(), err.decode())
