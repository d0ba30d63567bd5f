"""Requests to modules and their answers, in each of the contracts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from minime_wasm_host.approval import ApprovedTool
from minime_wasm_host.contract import Contract

_CONTEXT = {"id": "1", "_meta": {}}
_STRUCTURED = "structuredContent"
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
"""Made once: `json.dumps` makes one in each call, which takes as long as small arguments do."""


def describe_request(contract: Contract) -> tuple[str, bytes]:
    """Return the function that describes a module, and what it is given."""
    if contract == "hyper2":
        return "list_tools", _encode({"context": _CONTEXT})
    return "describe", b""


def call_request(
    contract: Contract, tool: ApprovedTool, arguments: Mapping[str, Any]
) -> tuple[str, bytes]:
    """Return the function that does a call, and what it is given."""
    if contract == "plain":
        if tool.input == "json":
            return tool.function, _encode(arguments)
        value = arguments.get(tool.input.removeprefix("arg:"), "")
        return tool.function, value.encode() if isinstance(value, str) else _encode(value)
    request = {"name": tool.inner, "arguments": arguments}
    if contract == "hyper2":
        return "call_tool", _encode({"request": request, "context": _CONTEXT})
    return "call", _encode({"params": request})


def read_answer(contract: Contract, output: bytes | bytearray) -> tuple[str, bool]:
    """Return the text of an answer, and whether the call succeeded."""
    text = output.decode("utf-8", "replace")
    if contract == "plain":
        return text, True
    try:
        answer = json.loads(text)
    except (ValueError, RecursionError):
        # Not what was agreed on, but it may say something.
        return text, True
    if not isinstance(answer, dict) or ("content" not in answer and _STRUCTURED not in answer):
        return text, True
    content = answer.get("content")
    parts = list(_parts(content)) if isinstance(content, list) else []
    if not parts and answer.get(_STRUCTURED) is not None:
        parts = [json.dumps(answer[_STRUCTURED], ensure_ascii=False)]
    return "\n".join(parts), answer.get("isError") is not True


def _parts(content: list[Any]) -> Iterator[str]:
    for part in content:
        if not isinstance(part, dict):
            continue
        kind, text = part.get("type"), part.get("text")
        resource = part.get("resource")
        if isinstance(resource, dict):
            kind, text = "resource", resource.get("text", resource.get("uri"))
        if isinstance(text, str):
            yield text
        else:
            about = part.get("mimeType") or kind
            yield f"({about if isinstance(about, str) else 'something'} that cannot be shown)"


def _encode(value: object) -> bytes:
    return _ENCODER.encode(value).encode()
