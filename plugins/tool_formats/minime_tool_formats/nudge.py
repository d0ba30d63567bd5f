"""What the model is told when it wrote a call as text that cannot be made."""

from __future__ import annotations

from collections.abc import Mapping

from minime_core.tools import Tool
from minime_tool_formats.finder import Broken
from minime_tool_formats.names import unwrapped

MAX_NAME = 40
"""Most characters of a wrong name that are repeated."""


def nudge(broken: Broken, tools: Mapping[str, Tool]) -> str:
    """Return a note on what was wrong, and on how this syntax writes a call."""
    return f"Your tool call did not run: {_fault(broken, tools)}. {_how(broken)}"


def _fault(broken: Broken, tools: Mapping[str, Tool]) -> str:
    if not broken.calls:
        return "it could not be read"
    for call in broken.calls:
        name = unwrapped(call.name, tools)
        tool = tools.get(name)
        if tool is None:
            return f"there is no tool {name[:MAX_NAME]!r}; your tools are: {', '.join(tools)}"
        if call.raw is None and (faults := tool.faults(call.arguments)):
            return f"{name}: {faults[0]}; expected {tool.shape}"
    return "it could not be read"


def _how(broken: Broken) -> str:
    return f"Answer the user, or call a tool like this:\n{broken.syntax.usage}"
