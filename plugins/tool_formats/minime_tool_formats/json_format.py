"""The syntax `json`: each answer is a JSON object, which servers can enforce by its schema.

{"tool": "read_file", "arguments": {"path": "a.txt"}}
{"answer": "The file is empty."}
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from minime_core.formats import Reading
from minime_core.messages import ToolCall
from minime_core.tools import Tool
from minime_shared.schemas import reduce_schema
from minime_tool_formats.cursor import Cursor, Ended, Mismatch
from minime_tool_formats.json_calls import read_calls
from minime_tool_formats.json_string import StringDecoder
from minime_tool_formats.json_text import dump

_ANSWER = re.compile(r'\s*\{\s*"answer"\s*:\s*"')
_LONGEST_ANSWER_HEAD = 24
"""Longer than any spacing of `{"answer": "`, in characters."""


class JsonFormat:
    """See the module."""

    name = "json"
    openers: Sequence[str] = ()
    heads: Sequence[str] = ()
    usage = '{"tool": NAME, "arguments": {...}}'

    def read(
        self, text: str, at: int, tools: Mapping[str, Tool], *, is_final: bool
    ) -> Reading | None:
        return None

    def reader(self, tools: Mapping[str, Tool]) -> JsonReader:
        return JsonReader()

    def render_tools(self, tools: Sequence[Tool]) -> str:
        lines = [f"{tool.name} {tool.shape}: {tool.description}" for tool in tools]
        return (
            f"Answer with one JSON object. To use a tool:\n{self.usage}\n"
            "To answer the user:\n"
            '{"answer": TEXT}\n'
            "Tools:\n" + "\n".join(lines)
        )

    def render_answer(self, text: str, calls: Sequence[ToolCall]) -> str:
        if calls:
            return dump({"tool": calls[0].name, "arguments": calls[0].arguments})
        return dump({"answer": text})

    def render_result(self, name: str, text: str) -> str:
        return f"[result of {name}]\n{text}"

    def constraint(self, tools: Sequence[Tool]) -> Mapping[str, Any] | None:
        answer = _object({"answer": {"type": "string"}})
        calls = [
            _object({"tool": {"const": tool.name}, "arguments": reduce_schema(tool.schema)})
            for tool in tools
        ]
        return {"anyOf": [*calls, answer]} if calls else answer


class JsonReader:
    """Shows the text of an answer as it is written; holds back a call.

    An answer that is neither, from a server that does not enforce it, is text as it stands.
    """

    def __init__(self) -> None:
        self._held: list[str] = []
        self._is_text = False
        self._is_call = False
        self._answer: StringDecoder | None = None

    def feed(self, piece: str) -> str:
        """See `formats.Reader`."""
        if self._answer is not None:
            return self._answer.feed(piece)
        if self._is_text:
            return piece
        self._held.append(piece)
        return "" if self._is_call else self._decide()

    def end(self) -> tuple[str, list[ToolCall]]:
        """See `formats.Reader`."""
        text = "".join(self._held)
        cursor = Cursor(text, is_final=True)
        cursor.skip_space()
        try:
            calls = read_calls(cursor)
        except Ended as ended:
            # A call that was cut is a call all the same: the model is told of it.
            calls = list(ended.calls)
            cursor.at = len(text)
        except Mismatch:
            calls = []
        return (text[cursor.at :].strip(), calls) if calls else (text, [])

    def _decide(self) -> str:
        text = "".join(self._held)
        start = text.lstrip()
        if answer := _ANSWER.match(text):
            self._held, self._answer = [], StringDecoder()
            return self._answer.feed(text[answer.end() :])
        if start and start[0] != "{":
            self._held, self._is_text = [], True
            return text
        self._is_call = len(start) > _LONGEST_ANSWER_HEAD
        return ""


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
