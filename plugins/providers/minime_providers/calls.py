"""Pieces of tool calls in, whole calls out."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from minime_core.events import ToolCallDelta
from minime_core.messages import MAX_DEPTH, ToolCall, clean_text

MAX_NAME = 64
"""Longest name of a tool in characters; see `tools.Tool`."""

_MARK = re.compile(r'\\.?|["{}\[\]]', re.DOTALL)


class CallAssembler:
    """Collects the calls of one answer."""

    def __init__(self) -> None:
        self._calls: list[_Call] = []
        self._by_index: dict[int, _Call] = {}

    def add(self, delta: Mapping[str, Any]) -> ToolCallDelta:
        """Take one entry of `tool_calls`: a whole call or a piece of one."""
        function = delta.get("function")
        if not isinstance(function, dict):
            function = delta
        name, call_id = _string(function.get("name")), _string(delta.get("id"))
        arguments = function.get("arguments")
        if not isinstance(arguments, str):
            arguments = "" if arguments is None else json.dumps(arguments, ensure_ascii=False)
        call = self._slot(delta.get("index"), call_id, name)
        call.id, call.name = call.id or call_id, call.name or clean_text(name)[:MAX_NAME]
        if arguments:
            call.add(arguments)
        return ToolCallDelta(call.position, call.name, arguments)

    def whole(self) -> tuple[ToolCall, ...]:
        """Return the calls; the arguments of one that was cut or is no JSON object are in `raw`."""
        return tuple(call.whole() for call in self._calls if call.name or call.fragments)

    def _slot(self, index: object, call_id: str, name: str) -> _Call:
        """Return the call that a piece belongs to, a new one when it begins one.

        Some servers give no index, or the same one to each call: then another id or name begins a
        new call, or a name after whole arguments.
        """
        known = self._calls[-1] if self._calls else None
        if isinstance(index, int):
            known = self._by_index.get(index)
        if known is None or known.is_over(call_id, name):
            known = _Call(len(self._calls))
            self._calls.append(known)
            if isinstance(index, int):
                self._by_index[index] = known
        return known


@dataclass(slots=True, eq=False)
class _Call:
    """A call that is being written, and how deep in brackets its arguments are."""

    position: int
    id: str = ""
    name: str = ""
    fragments: list[str] = field(default_factory=list)
    _depth: int = 0
    _deepest: int = 0
    _in_string: bool = False
    _escape: str = ""

    def add(self, fragment: str) -> None:
        self.fragments.append(fragment)
        marks = _MARK.findall(self._escape + fragment)
        self._escape = ""
        for mark in marks:
            if mark[0] == "\\":
                # Alone, it stands at the end of the fragment and escapes what comes next.
                self._escape = mark if len(mark) == 1 else ""
            elif mark == '"':
                self._in_string = not self._in_string
            elif not self._in_string:
                self._depth += 1 if mark in "{[" else -1
                self._deepest = max(self._deepest, self._depth)

    def is_over(self, call_id: str, name: str) -> bool:
        """Return whether a piece with this id and name, "" for none, begins another call."""
        if call_id and self.id:
            return call_id != self.id
        if not name or not self.name:
            return False
        has_whole_arguments = self._deepest > 0 and self._depth <= 0
        return name != self.name or has_whole_arguments

    def whole(self) -> ToolCall:
        raw = clean_text("".join(self.fragments))
        arguments = _object(raw) if self._deepest <= MAX_DEPTH else None
        if arguments is None:
            return ToolCall(name=self.name, arguments={}, raw=raw)
        return ToolCall(name=self.name, arguments=arguments)


def _object(text: str) -> dict[str, Any] | None:
    """Return the JSON object in `text`, an empty one for no text, None for anything else."""
    if not text.strip():
        return {}
    try:
        value = json.loads(text)
        # Python reads NaN and 1e999, which no server could read back from the history.
        json.dumps(value, allow_nan=False)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""
