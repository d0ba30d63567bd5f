"""What stands in the place of a tool's output that is no longer shown."""

from __future__ import annotations

import re
from collections.abc import Mapping

from minime_core.messages import Message, ToolCall
from minime_core.tools import Tool

MAX_SUBJECT = 80
"""Characters of a command or path in a stub."""
_EXIT = re.compile(r"^\[\w+: exit code (\d+)", re.MULTILINE)


def stub(call: ToolCall, output: Message, tools: Mapping[str, Tool]) -> Message:
    """Return the result of `call` without its output."""
    tool = tools.get(call.name)
    lines = output.text.count("\n") + 1
    facts = [f"{lines} line" + ("s" if lines != 1 else "")]
    if found := _EXIT.findall(output.text[-500:]):
        facts.append(f"exit {found[-1]}")
    again = "; rerun it if needed" if _may_run_again(tool) else ""
    text = f"[output of {named(call, tools)} elided: {', '.join(facts)}{again}]"
    return Message(role="tool", text=text, call_id=output.call_id)


def named(call: ToolCall, tools: Mapping[str, Tool]) -> str:
    """Return a call as it is spoken of: `"go test ./..."`, `read_file "a.py"`."""
    tool = tools.get(call.name)
    subject = ""
    if tool is not None and not tool.faults(call.arguments):
        subject = " ".join(tool.subject(call.arguments).split())
    if len(subject) > MAX_SUBJECT:
        subject = f"{subject[: MAX_SUBJECT - 3]}..."
    if not subject:
        return call.name
    is_command = tool is not None and tool.kind == "execute"
    return f'"{subject}"' if is_command else f'{call.name} "{subject}"'


def _may_run_again(tool: Tool | None) -> bool:
    """Return whether to propose it: not for what writes and nothing else, such as an edit."""
    return tool is None or "write" not in tool.effects or "execute" in tool.effects
