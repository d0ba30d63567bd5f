"""A tool for the model."""

from __future__ import annotations

from minime_core import ToolResult, tool


@tool(effects=set())
def greet(name: str) -> str | ToolResult:
    """Greet somebody by name."""
    if not name.strip():
        # Not an exception: what failed, as text that the model can act on.
        return ToolResult(text="[greet: the name is empty; ask the user for it]", ok=False)
    return f"Hello, {name.strip()}!"
