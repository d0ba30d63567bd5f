"""`mm` on a terminal of its own, forked from a process that has imported it: a quick start."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import sys
import traceback
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

HEAVY = (
    "anyio._backends._asyncio",
    "anyio.lowlevel",
    "anyio.to_thread",
    "httpcore",
    "httpcore._async.http_proxy",
    "minime_acp",
    "minime_builtin_tools.bash_tool",
    "minime_builtin_tools.edit_tool",
    "minime_builtin_tools.plan_tool",
    "minime_builtin_tools.read_tool",
    "minime_builtin_tools.undo",
    "minime_builtin_tools.write_tool",
    "minime_commands",
    "minime_context.commands",
    "minime_context.layer",
    "minime_context.report",
    "minime_core.assembly",
    "minime_core.cli.ask",
    "minime_core.cli.group",
    "minime_core.cli.main",
    "minime_core.cli.plugin_commands",
    "minime_evals",
    "minime_guards.policies",
    "minime_guards.schema_fit",
    "minime_mcp",
    "minime_prompt.project_notes",
    "minime_prompt.sections",
    "minime_prompt.thinking",
    "minime_providers.openai",
    "minime_providers.resolve",
    "minime_skills.notation",
    "minime_skills.tool",
    "minime_terminal.completion",
    "minime_terminal.conversation",
    "minime_terminal.prompt_reader",
    "minime_tool_formats.recovery",
)
"""What a conversation imports anyway."""


class Nest:
    """A process that has imported `mm` and becomes it, in as many copies as are asked for."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._socket = ours
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, __file__, str(theirs.fileno())], pass_fds=[theirs.fileno()]
            )

    def hatch(
        self, arguments: Sequence[str], terminal: int, cwd: Path, env: Mapping[str, str]
    ) -> Hatched:
        """Start `mm` on a terminal, which is its controlling one."""
        job = {"arguments": list(arguments), "cwd": str(cwd), "env": dict(env)}
        reading, writing = os.pipe()
        socket.send_fds(self._socket, [json.dumps(job).encode()], [terminal, writing])
        os.close(writing)
        return Hatched(reading)

    def close(self) -> None:
        self._socket.close()
        self._process.wait()


class Hatched:
    """A copy that runs.

    told: the pipe that tells its number, and its exit code when it has ended.
    """

    def __init__(self, told: int) -> None:
        self._told = os.fdopen(told)
        self.pid = int(self._told.readline())
        self._code: int | None = None

    def kill(self) -> None:
        if self._code is None:
            os.kill(self.pid, signal.SIGKILL)

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end, so many seconds at most, and return its exit code."""
        if self._code is None:
            if not select.select([self._told], [], [], timeout)[0]:
                raise TimeoutError("mm does not end")
            with self._told:
                self._code = int(self._told.readline())
        return self._code


def serve(channel: socket.socket) -> None:
    """Fork for each job, until nobody is left to send one."""
    for name in HEAVY:
        import_module(name)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        job, fds, _, _ = socket.recv_fds(channel, 1 << 20, 2)
        if not job:
            return
        terminal, told = fds
        if os.fork() == 0:
            channel.close()
            _watch(json.loads(job), terminal, told)
        os.close(terminal)
        os.close(told)


def _watch(job: Mapping[str, Any], terminal: int, told: int) -> None:
    """Fork once more, and tell how that ends."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    child = os.fork()
    if child == 0:
        os.close(told)
        _become_mm(job, terminal)
    os.close(terminal)
    os.write(told, b"%d\n" % child)
    _, status = os.waitpid(child, 0)
    os.write(told, b"%d\n" % os.waitstatus_to_exitcode(status))
    os._exit(0)


def _become_mm(job: Mapping[str, Any], terminal: int) -> None:
    from minime_core.cli.main import main

    os.login_tty(terminal)
    os.chdir(job["cwd"])
    os.environ.clear()
    os.environ.update(job["env"])
    sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")  # noqa: SIM115
    sys.path[:0] = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    sys.argv = ["mm", *job["arguments"]]
    try:
        main()
    finally:
        # Only what `mm` does not catch comes here.
        traceback.print_exc()
        os._exit(1)


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
