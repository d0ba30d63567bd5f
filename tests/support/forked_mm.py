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
from minime_core.testing import Outcome

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


class ForkedMm:
    """Runs `mm`, each time in a process of its own."""

    def __init__(self) -> None:
        self._parent = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def run(self, *arguments: str, cwd: Path, env: Mapping[str, str]) -> Outcome:
        """Run `mm` to its end in the folder `cwd`, with nothing on stdin."""
        out, err = cwd.parent / "stdout", cwd.parent / "stderr"
        job = {
            "arguments": arguments,
            "cwd": str(cwd),
            "env": dict(env),
            "out": str(out),
            "err": str(err),
        }
        assert self._parent.stdin is not None
        assert self._parent.stdout is not None
        self._parent.stdin.write(json.dumps(job).encode() + b"\n")
        self._parent.stdin.flush()
        code = int(self._parent.stdout.readline())
        return Outcome(code, out.read_text(), err.read_text())

    def close(self) -> None:
        """End the process that is forked."""
        self._parent.communicate()


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
    for number, path in enumerate((os.devnull, job["out"], job["err"])):
        os.dup2(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), number)
    sys.argv = ["mm", *job["arguments"]]
    try:
        main()
    finally:
        # Only what `mm` does not catch comes here.
        traceback.print_exc()
        os._exit(1)


if __name__ == "__main__":
    serve()
