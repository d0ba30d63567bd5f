"""The syntax `json`: each answer is a JSON object, which servers can enforce by its schema.

    {"tool": "read_file", "arguments": {"path": "a.txt"}}
    {"answer": "The file is empty."}
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from minime_core.messages import ToolCall
from minime_core.tools import Tool

_ANSWER = re.compile(r'\s*\{\s*"answer"\s*:\s*"')
_TOOL = re.compile(r'\s*\{\s*"tool"\s*:\s*"([^"]*)"\s*(?:,\s*"arguments"\s*:\s*)?')
_ESCAPE = re.compile(r'\\(?:u[0-9a-fA-F]{4}|[^u])')


class JsonFormat:
    """See the module."""

    name = "json"

    def reader(self, tools: Mapping[str, Tool]) -> JsonReader:
        return JsonReader()

    def render_tools(self, tools: Sequence[Tool]) -> str:
        lines = [f"{tool.name} {tool.shape}: {tool.description}" for tool in tools]
        return (
            "Answer with one JSON object. To use a tool:\n"
            '{"tool": NAME, "arguments": {...}}\n'
            "To answer the user:\n"
            '{"answer": TEXT}\n'
            "Tools:\n" + "\n".join(lines)
        )

    def render_answer(self, text: str, calls: Sequence[ToolCall]) -> str:
        if calls:
            return _dump({"tool": calls[0].name, "arguments": calls[0].arguments})
        return _dump({"answer": text})

    def render_result(self, name: str, text: str) -> str:
        return f"[result of {name}]\n{text}"

    def constraint(self, tools: Sequence[Tool]) -> Mapping[str, Any] | None:
        answer = _object({"answer": {"type": "string"}})
        calls = [_object({"tool": {"const": t.name}, "arguments": t.schema}) for t in tools]
        return {"anyOf": [*calls, answer]} if calls else answer


class JsonReader:
    """Shows the text of an answer as it is written; holds back a call.

    An answer that is not JSON, from a server that does not enforce it, is text as it stands.
    """

    def __init__(self) -> None:
        self._held = ""
        self._mode = "undecided"

    def feed(self, piece: str) -> str:
        self._held += piece
        if self._mode == "undecided":
            self._decide()
        if self._mode == "text":
            shown, self._held = self._held, ""
            return shown
        if self._mode == "answer":
            return self._decode()
        return ""

    def _decide(self) -> None:
        start = self._held.lstrip()
        if start and start[0] != "{":
            self._mode = "text"
        elif match := _ANSWER.match(self._held):
            self._mode, self._held = "answer", self._held[match.end() :]
        elif len(start) > 24:
            # Longer than any spacing of `{"answer": "`: it is a call, or a mistake.
            self._mode = "call"

    def _decode(self) -> str:
        """Take all whole characters of the JSON string from what is held."""
        shown: list[str] = []
        at = 0
        while at < len(self._held):
            char = self._held[at]
            if char == '"':
                self._mode, at = "closed", len(self._held)
                break
            if char == "\\":
                pair = re.compile(r"\\ud[89ab][0-9a-f]{2}", re.IGNORECASE).match(self._held, at)
                escape = _ESCAPE.match(self._held, at)
                if escape is None or (pair and not _ESCAPE.match(self._held, escape.end())):
                    break
                end = _ESCAPE.match(self._held, escape.end()).end() if pair else escape.end()  # type: ignore[union-attr]
                shown.append(_unescape(self._held[at:end]))
                at = end
                continue
            shown.append(char)
            at += 1
        self._held = self._held[at:]
        return "".join(shown)

    def end(self) -> tuple[str, list[ToolCall]]:
        if self._mode in ("answer", "closed"):
            return "", []
        text, self._held = self._held, ""
        if call := _call(text):
            return "", [call]
        return text, []


def _call(text: str) -> ToolCall | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        # A call that was cut is a call all the same: the model is told of it.
        if match := _TOOL.match(text):
            return ToolCall(name=match[1], arguments={}, raw=text[match.end() :])
        return None
    if not isinstance(value, dict) or not isinstance(value.get("tool"), str):
        return None
    arguments = value.get("arguments", {})
    if isinstance(arguments, dict):
        return ToolCall(name=value["tool"], arguments=arguments)
    return ToolCall(name=value["tool"], arguments={}, raw=_dump(arguments))


def _unescape(escaped: str) -> str:
    try:
        return str(json.loads(f'"{escaped}"'))
    except ValueError:
        return escaped


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
