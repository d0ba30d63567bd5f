"""Tools that the client offers and runs itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from acp import RequestError

from minime_acp.client import Client
from minime_core.cli.say import say
from minime_core.tools import Arguments, Effect, Tool, ToolContext, ToolResult

PREFIX = "client_"
MAX_TOOLS = 64
_NAME = re.compile(r"[A-Za-z0-9_-]{1,57}")
NO_ARGUMENTS = {"type": "object", "properties": {}}
ANYTHING: frozenset[Effect] = frozenset({"read", "write", "execute", "network"})
"""What another program does with a call cannot be known."""


def client_tools(
    offered: Any, client: Client, session_id: str, call_id: Callable[[], str]
) -> list[Tool]:
    """Return the tools in what the client sent; what is no tool is left out and named on stderr.

    offered: a list, or an object with the list under `tools`.
    call_id: returns the id of the call that runs.
    """
    listed = offered.get("tools") if isinstance(offered, Mapping) else offered
    if listed is None or isinstance(listed, bool):
        return []
    tools: dict[str, Tool] = {}
    for description in _described(listed):
        name = description["name"]
        if name in tools:
            say(f"a second tool of the client is named {name}: left out")
        elif len(tools) == MAX_TOOLS:
            say(f"the client offers more than {MAX_TOOLS} tools: {name} is left out")
        else:
            tools[name] = _tool(description, client, session_id, call_id)
    return list(tools.values())


def _described(listed: Any) -> Iterator[dict[str, Any]]:
    """Yield what can be a tool, with each key at its type."""
    for item in listed if isinstance(listed, list) else [listed]:
        described = item if isinstance(item, Mapping) else {}
        name, method = described.get("name"), described.get("method")
        schema = described.get("inputSchema") or NO_ARGUMENTS
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            say(f"a tool of the client is left out, its name cannot be used: {item!r:.100}")
        elif not isinstance(method, str) or not method.startswith("_"):
            say(f"the tool {name} of the client is left out: its method does not begin with _")
        elif not _is_schema(schema):
            say(f"the tool {name} of the client is left out: its inputSchema is not one")
        else:
            text = described.get("description")
            yield {
                "name": name,
                "method": method,
                "schema": schema,
                "description": text if isinstance(text, str) else "",
            }


def _is_schema(schema: Any) -> bool:
    from jsonschema import Draft202012Validator, SchemaError

    if not isinstance(schema, Mapping) or schema.get("type", "object") != "object":
        return False
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError:
        return False
    return True


def _tool(
    described: Mapping[str, Any], client: Client, session_id: str, call_id: Callable[[], str]
) -> Tool:
    name, method = f"{PREFIX}{described['name']}", described["method"]

    async def run(arguments: Arguments, context: ToolContext) -> ToolResult:
        params = {
            "sessionId": session_id,
            "toolCallId": call_id(),
            "arguments": dict(arguments),
        }
        try:
            return _result(name, await client.request(method, params))
        except (RequestError, ConnectionError) as error:
            return ToolResult(text=f"[{name}: failed: {error}]", ok=False)

    return Tool(
        name=name,
        description=described["description"],
        schema={"type": "object", **described["schema"]},
        run=run,
        effects=ANYTHING,
        title=lambda arguments: f"client: {described['name']}",
    )


def _result(name: str, answer: Any) -> ToolResult:
    """Return what the model reads of the client's answer."""
    content = answer.get("content") if isinstance(answer, Mapping) else None
    texts = [
        block["text"]
        for block in (content if isinstance(content, list) else [])
        if isinstance(block, Mapping) and isinstance(block.get("text"), str)
    ]
    if not isinstance(answer, Mapping) or not isinstance(content, list):
        return ToolResult(text=f"[{name}: failed: the client's answer has no content]", ok=False)
    failed = answer.get("isError") is True
    text = "\n".join(texts) or f"[{name}: {'failed' if failed else 'done'}, no output]"
    return ToolResult(text=text, ok=not failed)
