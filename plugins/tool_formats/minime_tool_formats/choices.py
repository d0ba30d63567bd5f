"""Arguments that are held to what a question can mean, for models too small to copy a name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from minime_core.messages import Message, ToolCall
from minime_core.tools import Tool


def calls_since_question(messages: Sequence[Message]) -> list[ToolCall]:
    """Return the calls that were made for the last question."""
    calls: list[ToolCall] = []
    for message in reversed(messages):
        if message.role == "user":
            break
        calls += message.calls
    return calls


def untried(
    tool: Tool, argument: str, values: Sequence[str], calls: Sequence[ToolCall]
) -> list[str]:
    """Return the `values` that no call of `tool` has had for `argument`."""
    tried = [call.arguments.get(argument) for call in calls if call.name == tool.name]
    return [value for value in values if value not in tried]


def with_choices(tool: Tool, choices: Mapping[str, Sequence[str]]) -> Tool:
    """Return `tool` with a schema in which some arguments can only have certain values."""
    properties = {
        name: {"enum": list(choices[name])} if choices.get(name) else value
        for name, value in tool.schema.get("properties", {}).items()
    }
    return replace(tool, schema={**tool.schema, "properties": properties})
