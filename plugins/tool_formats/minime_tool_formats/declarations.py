"""Tools as the prompts of the families declare them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from minime_core.tools import Tool
from minime_shared.schemas import tool_parameters
from minime_tool_formats.json_text import dump

_TYPESCRIPT = {"integer": "number"}


def json_declarations(tools: Sequence[Tool]) -> str:
    """Return one JSON object a line: name, description and schema of each tool."""
    return "\n".join(
        dump(
            {
                "name": tool.name,
                "description": tool.description,
                "parameters": tool_parameters(tool.schema),
            }
        )
        for tool in tools
    )


def typescript_declarations(tools: Sequence[Tool]) -> str:
    """Return one TypeScript type a tool."""
    return "\n".join(
        f"{_comment(tool.description)}type {tool.name} = "
        f"(_: {_typescript(tool_parameters(tool.schema))}) => any;"
        for tool in tools
    )


def _comment(description: str) -> str:
    return "".join(f"// {line}\n" for line in description.splitlines())


def _typescript(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return " | ".join(map(dump, schema["enum"]))
    if "anyOf" in schema:
        return " | ".join(map(_typescript, schema["anyOf"]))
    kind = schema.get("type", "any")
    if isinstance(kind, list):
        return " | ".join(_typescript({**schema, "type": one}) for one in kind)
    if kind == "array":
        return f"Array<{_typescript(schema.get('items', {}))}>"
    if kind != "object":
        return _TYPESCRIPT.get(kind, str(kind))
    required = schema.get("required", ())
    members = (
        f"{name}{'' if name in required else '?'}: {_typescript(value)}"
        for name, value in schema.get("properties", {}).items()
    )
    return "{ " + ", ".join(members) + " }"
