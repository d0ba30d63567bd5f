"""The tool `bash`."""

from __future__ import annotations

import signal

from minime_core.bounds import bound
from minime_core.tools import Arguments, Tool, ToolContext, ToolResult

from minime_builtin_tools.process import Finished, run_shell

TIMEOUT = 30.0
"""Seconds that a command may take."""

DESCRIPTION = (
    "Run a shell command and return its output. Each call is a NEW shell in the working directory: "
    "`cd` does not carry over. There is no stdin: never run what asks a question or opens an editor. "
    f"Ended after {TIMEOUT:.0f} s."
)


def bash_tool() -> Tool:
    """Return the tool."""
    return Tool(
        name="bash",
        description=DESCRIPTION,
        schema={
            "type": "object",
            "properties": {"command": {"type": "string"}},
            "required": ["command"],
            "additionalProperties": False,
        },
        run=_run,
        effects=frozenset({"read", "write", "execute", "network"}),
        kind="execute",
        title=lambda arguments: f"bash: {_one_line(arguments['command'])}",
        subject=lambda arguments: str(arguments["command"]),
    )


async def _run(arguments: Arguments, context: ToolContext) -> ToolResult:
    command = arguments["command"]
    if not command.strip():
        return ToolResult(text="[bash: the command is empty; write one]", ok=False)
    try:
        done = await run_shell(command, cwd=context.cwd, timeout=TIMEOUT, emit=context.emit)
    except (OSError, ValueError) as error:
        return ToolResult(text=f"[bash: cannot start a shell: {error}]", ok=False)
    ending = _ending(done)
    output = bound(
        done.output.rstrip("\n"),
        max(context.max_output - len(ending) - 1, 0),
        "run it again with | head, | tail or | grep",
    )
    text = f"{output}\n{ending}" if output else f"{ending[:-1]}, no output]"
    return ToolResult(text=text, ok=done.code == 0)


def _ending(done: Finished) -> str:
    took = f" after {done.seconds:.0f} s" if done.seconds >= 1 else ""
    if done.code is None:
        return (
            f"[bash: ended after {TIMEOUT:.0f} s, with all it had started. Above is its output so "
            "far. Run something shorter, or start it in the background: nohup ... > log 2>&1 &]"
        )
    if done.code < 0:
        return f"[bash: killed by {signal.Signals(-done.code).name}{took}]"
    return f"[bash: exit code {done.code}{took}]"


def _one_line(command: str) -> str:
    first, _, rest = command.strip().partition("\n")
    return f"{first} ..." if rest else first
