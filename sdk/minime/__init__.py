"""Drive Mini Me from Python: one `mm acp` process, one conversation, as an async API.

    async with minime.start(config="agent.yaml", cwd=".") as agent:
        result = await agent.complete("Explain this repository")
        async for event in agent.stream("And the tests?"):
            ...

`minime.sync` is the same without `await`.
"""

from minime import sync
from minime.agent import Agent
from minime.decisions import ALLOW, REJECT, Decision
from minime.errors import (
    AgentExited,
    BusyError,
    ClosedError,
    MinimeError,
    StartError,
    TurnError,
)
from minime.events import Done, Event, Result, Text, Thinking, ToolCall, ToolResult, Usage
from minime.starting import start
from minime.tools import Tool, tool
from minime.turn import Turn

__all__ = [
    "ALLOW",
    "REJECT",
    "Agent",
    "AgentExited",
    "BusyError",
    "ClosedError",
    "Decision",
    "Done",
    "Event",
    "MinimeError",
    "Result",
    "StartError",
    "Text",
    "Thinking",
    "Tool",
    "ToolCall",
    "ToolResult",
    "Turn",
    "TurnError",
    "Usage",
    "start",
    "sync",
    "tool",
]
