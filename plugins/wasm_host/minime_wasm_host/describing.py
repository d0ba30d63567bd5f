"""What a module says of itself, read as something that anybody may have written."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from minime_shared.cleaning import clean_schema, one_line
from minime_wasm_host.approval import ApprovedTool
from minime_wasm_host.refusal import Refused
from minime_wasm_host.sidecar import ToolEntry

ABI = 1
"""Newest version of the contract that is known; modules may name theirs as `mm.abi`."""
MAX_TOOLS = 32
"""Most tools of one module; small models bear fewer in all."""
MAX_DESCRIPTION = 1_024
"""Most characters of a tool's description."""


@dataclass(slots=True, kw_only=True)
class Description:
    """A module's tools, and what the user should know of how they were read.

    wants: what the module says that it needs, by kind, such as hosts. It grants nothing.
    """

    tools: list[ApprovedTool] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    wants: dict[str, list[str]] = field(default_factory=dict)


def describe_self(
    output: bytes | bytearray, module: str, entries: Sequence[ToolEntry]
) -> Description:
    """Return the tools that a module describes.

    output: of its function `describe` or `list_tools`.
    entries: of the sidecar; when there are any, the model gets no other tools. Raises Refused.
    """
    answer = _parse(output)
    about = answer.get("mm")
    about = about if isinstance(about, dict) else {}
    abi = about.get("abi", ABI)
    if isinstance(abi, int) and abi > ABI:
        raise Refused(f"it needs version {abi} of the contract; this program knows {ABI}: update")
    found = Description(wants=_wants(about.get("wants")))
    chosen = {entry.name: entry for entry in entries}
    given = list(_raw_tools(answer))
    if missing := [name for name in chosen if name not in {raw.get("name") for raw in given}]:
        raise Refused(f"its sidecar names the tool {missing[0]}, which it does not have")
    for raw in given:
        if not chosen or raw.get("name") in chosen:
            _add(found, module, raw, chosen.get(str(raw.get("name"))))
    return _checked(found)


def describe_functions(
    module: str, functions: set[str], entries: Sequence[ToolEntry]
) -> Description:
    """Return the tools that a sidecar makes of plain functions. Raises Refused."""
    found = Description()
    for entry in entries:
        function = entry.function or entry.name
        if function not in functions:
            raise Refused(
                f"its sidecar names the function {function}; it has {', '.join(sorted(functions))}"
            )
        raw = {"name": entry.name, "inputSchema": entry.input_schema or _default_schema(entry)}
        _add(found, module, raw, entry, function=function, input=entry.input)
    return _checked(found)


def _default_schema(entry: ToolEntry) -> dict[str, Any]:
    name = entry.input.removeprefix("arg:")
    if name == entry.input:
        return {}
    return {"properties": {name: {"type": "string"}}, "required": [name]}


def _parse(output: bytes | bytearray) -> dict[str, Any]:
    try:
        answer = json.loads(output.decode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:
        shown = one_line(output[:200].decode("utf-8", "replace"), 80)
        raise Refused(f"its description is not JSON: {shown!r}") from error
    if isinstance(answer, list):
        answer = {"tools": answer}
    if not isinstance(answer, dict):
        raise Refused("its description is not a JSON object with `tools`")
    return answer


def _raw_tools(answer: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    tools = answer.get("tools")
    if tools is None and "name" in answer:
        # Older servlets describe the one tool that they are.
        tools = [answer]
    for raw in tools if isinstance(tools, list) else []:
        if isinstance(raw, dict):
            yield raw


def _add(
    found: Description,
    module: str,
    raw: Mapping[str, Any],
    entry: ToolEntry | None,
    **how: str,
) -> None:
    """Add a tool, or a note why it is left out."""
    inner = raw.get("name")
    if not isinstance(inner, str) or not inner:
        found.notes.append("a tool without a name is left out")
        return
    name = (entry.rename if entry else "") or f"{module}__{_plain(inner)}"
    shown = one_line(inner, 40)
    if len(found.tools) == MAX_TOOLS:
        found.notes.append(f"only the first {MAX_TOOLS} tools are taken; choose in a sidecar")
    if len(found.tools) >= MAX_TOOLS:
        return
    if not re.fullmatch("[0-9A-Za-z_-]{1,64}", name):
        found.notes.append(f"{shown} is left out: {name[:80]!r} cannot be the name of a tool")
    elif name in {tool.name for tool in found.tools}:
        found.notes.append(f"{shown} is left out: there are two of that name")
    else:
        given = (entry.description if entry else "") or raw.get("description")
        try:
            schema = clean_schema(raw.get("inputSchema", raw.get("input_schema")))
        except ValueError as error:
            found.notes.append(f"{shown} is left out: {error}")
            return
        tool = ApprovedTool(
            name=name,
            inner=inner,
            description=one_line(given if isinstance(given, str) else "", MAX_DESCRIPTION),
            schema=schema,
            **how,
        )
        found.tools.append(tool)


def _checked(found: Description) -> Description:
    if not found.tools:
        raise Refused("; ".join(["it has no tools", *found.notes[:3]]))
    found.notes = list(dict.fromkeys(found.notes))
    return found


def _plain(name: str) -> str:
    return re.sub("[^0-9A-Za-z_-]+", "_", name)


def _wants(value: object) -> dict[str, list[str]]:
    wants = {}
    for kind in ("hosts", "paths", "config", "secrets"):
        items = value.get(kind) if isinstance(value, dict) else None
        if isinstance(items, list) and items:
            wants[kind] = [one_line(str(item), 80) for item in items[:20]]
    return wants
