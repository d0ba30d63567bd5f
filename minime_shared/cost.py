"""What a tool takes of each request."""

from __future__ import annotations

import json

from minime_core.tools import Tool
from minime_shared.schemas import tool_parameters


def cost(tool: Tool) -> int:
    """Return the characters that a tool takes in each request."""
    function = {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool_parameters(tool.schema),
    }
    wire = {"type": "function", "function": function}
    return len(json.dumps(wire, ensure_ascii=False, separators=(",", ":")))
