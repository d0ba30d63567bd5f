"""The tool `bash`."""

from __future__ import annotations

import signal
from functools import partial
from typing import TYPE_CHECKING

from minime_builtin_tools.settings import ToolSettings
from minime_core.bounds import bound
from minime_core.tools import Arguments, Tool, ToolContext, ToolResult

if TYPE_CHECKING:
    from minime_builtin_tools.shell.running import Finished


def bash_tool(settings: ToolSettings, api_key_env: str = "") -> Tool:
    """Return the tool.

    api_key_env: name of the variable with the model server's key, which commands do not get.
    """
    usual = min(settings.bash_timeout, settings.bash_max_timeout)
    return Tool(
        name="bash",
        description=(
            "Run a shell command and return its output. Each call is a NEW shell in the working "
            "directory: `cd` does not carry over. There is no stdin: never run what asks a "
            f"question or opens an editor. Ended after {usual:g} s; `timeout` gives it up to "
            f"{settings.bash_max_timeout:g}. Start what keeps running, such as a server, with "
            "`nohup CMD > log 2>&1 &`."
        ),
        schema={
            "type": "object",
            "properties": {
                "command": {"type": "string"},
                "timeout": {"type": "number", "description": "seconds"},
            },
            "required": ["command"],
            "additionalProperties": False,
        },
        run=partial(_run, settings, [*settings.hidden_env, *filter(None, [api_key_env])]),
        effects=frozenset({"read", "write", "execute", "network"}),
        kind="execute",
        tally="command",
        title=lambda arguments: f"bash: {_one_line(arguments['command'])}",
        subject=lambda arguments: str(arguments["command"]),
    )


async def _run(
    settings: ToolSettings, hidden: list[str], arguments: Arguments, context: ToolContext
) -> ToolResult:
    from minime_builtin_tools.shell.background import Shells
    from minime_builtin_tools.shell.environment import command_environment
    from minime_builtin_tools.shell.running import run_shell

    command = arguments["command"]
    if not command.strip():
        return ToolResult(text="[bash: the command is empty; write one]", ok=False)
    shells = context.stash.setdefault("shells", Shells())
    asked = arguments.get("timeout") or 0
    wanted = asked if asked > 0 else settings.bash_timeout
    limit = min(wanted, settings.bash_max_timeout)
    try:
        done = await run_shell(
            command,
            cwd=context.cwd,
            seconds=limit,
            environment=command_environment(hidden) | shells.mark(command),
            emit=context.emit,
            started=shells.started,
        )
    except (OSError, ValueError) as error:
        return ToolResult(text=f"[bash: no shell could be started: {error}]", ok=False)
    last = ending(done, limit, settings.bash_max_timeout)
    hint = "run it again with | head, | tail or | grep"
    if done.left_out:
        hint = f"{done.left_out} bytes of them unread; {hint}"
    room = max(context.max_output - len(last) - 1, 0)
    output = bound(done.output.rstrip("\n"), room, hint)
    text = f"{output}\n{last}" if output else f"{last[:-1]}; no output]"
    return ToolResult(text=text, ok=done.code == 0)


def ending(done: Finished, limit: float, longest: float) -> str:
    """Return the line that says how a command ended.

    limit: seconds that it had; `longest`: those that it could have had.
    """
    if done.limit == "time":
        more = f"give it a longer `timeout` (at most {longest:g}), " if limit < longest else ""
        return (
            f"[bash: ended after {limit:g} s, with all it had started. Run something shorter, "
            f"{more}or start it in the background: nohup CMD > log 2>&1 &]"
        )
    if done.limit == "output":
        return "[bash: ended, it wrote more than 1 GiB of output; send the output to a file]"
    # Not for a quick command, so that the same call has the same result.
    took = f" after {done.seconds:.0f} s" if done.seconds >= 1 else ""
    assert done.code is not None
    if done.code < 0:
        return f"[bash: killed by {_signal_name(-done.code) or f'signal {-done.code}'}{took}]"
    # How a shell reports that a signal ended what it ran.
    name = _signal_name(done.code - 128)
    return f"[bash: exit code {done.code}{f' ({name})' if name else ''}{took}]"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return ""


def _one_line(command: str) -> str:
    first, _, rest = command.strip().partition("\n")
    return f"{first} ..." if rest else first
