"""`mm` as a process, forked from one that has imported it already: a tenth of the start-up."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import traceback
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from minime_core.cli.main import main
from minime_core.testing import FaultServer, Mm, Outcome, Site

HEAVY = (
    "minime_core.assembly",
    "minime_builtin_tools.bash_tool",
    "minime_builtin_tools.edit_tool",
    "minime_builtin_tools.read_tool",
    "minime_builtin_tools.write_tool",
    "minime_context.layer",
    "minime_guards.policies",
    "minime_guards.schema_fit",
    "minime_prompt.sections",
    "minime_providers.openai",
    "minime_skills.tool",
    "minime_terminal.printing",
    "minime_tool_formats.recovery",
)
"""What a question imports anyway."""
LONGEST_RUN = 60
"""Seconds after which a run that does not end is killed, with exit code -14."""


class MmParent:
    """A process that has imported `mm`, and becomes it in its children."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def run(self, job: Mapping[str, Any]) -> int:
        """Run `mm` to its end, and return its exit code; see `_become_mm` for what a job is."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(job).encode() + b"\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


class ForkedMm(Mm):
    """Runs `mm`, each time in a process of its own; what is started with `start` is not forked."""

    def __init__(self, cwd: Path, server: FaultServer, site: Site | None, parent: MmParent) -> None:
        super().__init__(cwd, server, site)
        self._parent = parent

    def run(
        self,
        *arguments: str | bytes,
        input: bytes | None = None,
        env: Mapping[str, str] | None = None,
    ) -> Outcome:
        """Run `mm` to its end.

        input: what is piped in.
        env: variables besides those of this process; those that Python reads do nothing.
        """
        streams = [self.cwd.parent / name for name in ("stdin", "stdout", "stderr")]
        for stream in streams:
            stream.write_bytes(b"")
        if input is not None:
            streams[0].write_bytes(input)
        job = {
            "arguments": [os.fsdecode(argument) for argument in (*self.options, *arguments)],
            "cwd": str(self.cwd),
            "env": self.environment(env),
            "path": [] if self.site is None else [str(self.site.folder)],
            "streams": [os.devnull if input is None else str(streams[0]), *map(str, streams[1:])],
        }
        return Outcome(self._parent.run(job), streams[1].read_text(), streams[2].read_text())


def serve() -> None:
    """Fork for each line of stdin, and print the exit codes."""
    for name in HEAVY:
        import_module(name)
    for line in sys.stdin.buffer:
        child = os.fork()
        if child == 0:
            _become_mm(json.loads(line))
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def _become_mm(job: Mapping[str, Any]) -> None:
    signal.alarm(LONGEST_RUN)
    os.chdir(job["cwd"])
    os.environ.clear()
    os.environ.update(job["env"])
    sys.path[:0] = job["path"]
    for number, path in enumerate(job["streams"]):
        os.dup2(os.open(path, os.O_RDWR), number)
    sys.argv = ["mm", *job["arguments"]]
    try:
        main()
    finally:
        # Only what `mm` does not catch comes here.
        traceback.print_exc()
        os._exit(1)


if __name__ == "__main__":
    serve()
