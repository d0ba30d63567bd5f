"""Functions of this program as tools of the agent."""

from __future__ import annotations

import asyncio
import inspect
import json
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

_NAME = re.compile(r"[A-Za-z0-9_-]{1,57}")
"""What model servers take, with the prefix `client_`."""


@dataclass(frozen=True, kw_only=True)
class Tool:
    """A tool that runs in this program; the model sees it as `client_<name>`.

    name: letters, digits, `_` and `-`; unique.
    handle: is given the arguments and returns what the model reads; what is no text is sent as
        JSON. It may be async; else it runs in a thread, several calls side by side. An exception
        becomes a failed call with its text.
    description: what the model reads to decide when to call it.
    input_schema: JSON schema of the arguments, an object.
    method: the method of the protocol that calls it; it begins with `_`.
    """

    name: str
    handle: Callable[[dict[str, Any]], Any]
    description: str = ""
    input_schema: Mapping[str, Any] = field(
        default_factory=lambda: {"type": "object", "properties": {}}
    )
    method: str = ""

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise ValueError(f"{self.name!r} cannot be the name of a tool")
        if not callable(self.handle):
            raise ValueError(f"the tool {self.name} has no function to handle its calls")
        if not self.method:
            object.__setattr__(self, "method", f"_minime.py/tools/{self.name}")
        if not self.method.startswith("_"):
            raise ValueError(f"the method of the tool {self.name} has to begin with _")

    def offer(self) -> dict[str, Any]:
        """Return how the agent is told of this tool."""
        return {
            "name": self.name,
            "description": self.description,
            "method": self.method,
            "inputSchema": dict(self.input_schema),
        }

    async def call(self, arguments: object) -> dict[str, Any]:
        """Run it for `arguments` as they came, and return the protocol's result."""
        given = dict(arguments) if isinstance(arguments, Mapping) else {}
        try:
            text, failed = _text(await called(self.handle, given)), False
        except Exception as error:  # whatever the function raises is for the model to read
            text, failed = f"{type(error).__name__}: {error}", True
        return {"content": [{"type": "text", "text": text}], "isError": failed}


def tool(function: Callable[..., Any]) -> Tool:
    """Make a tool of a function with type hints; its docstring is the description.

    Raises ValueError when a parameter has no type hint, or is one that cannot be named.
    """
    from pydantic import ConfigDict, Field, create_model

    fields: dict[str, Any] = {}
    for index, parameter in enumerate(
        inspect.signature(function, eval_str=True).parameters.values()
    ):
        if parameter.annotation is parameter.empty:
            raise ValueError(f"{function.__name__}: {parameter.name} has no type hint")
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise ValueError(f"{function.__name__}: {parameter} cannot be a parameter of a tool")
        default = ... if parameter.default is parameter.empty else parameter.default
        # By alias, since pydantic's models have attributes such as `json` themselves.
        fields[f"field{index}"] = (parameter.annotation, Field(default, alias=parameter.name))
    model = create_model("Arguments", __config__=ConfigDict(extra="forbid"), **fields)
    schema = model.model_json_schema()
    schema.pop("title", None)
    for value in schema.get("properties", {}).values():
        value.pop("title", None)

    async def handle(arguments: dict[str, Any]) -> Any:
        given = model.model_validate(arguments)
        values = {
            str(model.model_fields[name].alias): getattr(given, name)
            for name in given.model_fields_set
        }
        return await called(function, **values)

    return Tool(
        name=function.__name__,
        handle=handle,
        description=inspect.getdoc(function) or "",
        input_schema=schema,
    )


def as_tools(given: Iterable[Tool | Callable[..., Any]]) -> dict[str, Tool]:
    """Return tools by their method. Raises ValueError when two have the same name or method."""
    tools = [item if isinstance(item, Tool) else tool(item) for item in given]
    found: dict[str, Tool] = {}
    for one in tools:
        if one.method in found or any(one.name == other.name for other in found.values()):
            raise ValueError(f"two tools are named {one.name}, or have the method {one.method}")
        found[one.method] = one
    return found


async def called(function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """Return what a function returns: awaited if it is async, else run in a thread."""
    if inspect.iscoroutinefunction(function):
        return await function(*arguments, **named)
    result = await asyncio.to_thread(function, *arguments, **named)
    return await result if isinstance(result, Awaitable) else result


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
