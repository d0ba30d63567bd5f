"""What a turn has brought so far: updates of the agent as events."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from minime.errors import MinimeError
from minime.events import Done, Event, Result, Text, Thinking, ToolCall, ToolResult, Usage

RETRACTED_KEY = "org.mini-me/retracted"
"""In `_meta` of a chunk: the text of the answer before it is withdrawn."""


class Progress:
    """The state of one turn, apart from the iterator that a program holds.

    cancelled: set when the turn shall end.
    finished: set when it has; `result` or `error` says how.
    """

    def __init__(self) -> None:
        self.events: asyncio.Queue[Event | None] = asyncio.Queue()
        self.cancelled = asyncio.Event()
        self.finished = asyncio.Event()
        self.result: Result | None = None
        self.error: MinimeError | None = None
        self._text: list[str] = []
        self._message = ""

    @property
    def text(self) -> str:
        """The answer so far."""
        return "".join(self._text)

    def update(self, update: Mapping[str, Any]) -> None:
        """Take one update as it came; what is not known is skipped."""
        match update:
            case {"sessionUpdate": "agent_message_chunk", "content": {"text": str(text)}}:
                self._add_text(text, update)
                self.events.put_nowait(Text(text))
            case {"sessionUpdate": "agent_thought_chunk", "content": {"text": str(text)}}:
                self.events.put_nowait(Thinking(text))
            case {"sessionUpdate": "tool_call", "toolCallId": str(call_id)}:
                self.events.put_nowait(tool_call(call_id, update))
            case {
                "sessionUpdate": "tool_call_update",
                "toolCallId": str(call_id),
                "status": "completed" | "failed" as status,
            }:
                self.events.put_nowait(ToolResult(call_id, status, _output(update)))

    def finish(self, stop_reason: str, usage: Usage | None) -> None:
        """End the turn well."""
        self.result = Result(self.text, stop_reason, usage)
        self.events.put_nowait(Done(stop_reason, self.text, usage))
        self._end()

    def fail(self, error: MinimeError) -> None:
        """End the turn with an error."""
        self.error = error
        self._end()

    def outcome(self) -> Result:
        """Return how the turn ended. Raises what made it fail."""
        if self.error is not None:
            raise self.error
        assert self.result is not None
        return self.result

    def _add_text(self, text: str, update: Mapping[str, Any]) -> None:
        meta, message = update.get("_meta"), str(update.get("messageId") or "")
        if isinstance(meta, Mapping) and meta.get(RETRACTED_KEY) is True:
            self._text.clear()
            return
        if self._text and message != self._message:
            # Another answer of the model in the same turn, after it had called tools.
            self._text.append("\n\n")
        self._message = message
        self._text.append(text)

    def _end(self) -> None:
        self.events.put_nowait(None)
        self.finished.set()


def tool_call(call_id: str, update: Mapping[str, Any]) -> ToolCall:
    """Return the call in an update or in a question of permission."""
    raw = update.get("rawInput")
    return ToolCall(
        id=call_id,
        title=str(update.get("title") or ""),
        tool_kind=str(update.get("kind") or "other"),
        input=raw if isinstance(raw, dict) else {},
    )


def usage(answer: object) -> Usage | None:
    """Return the usage in the answer to a prompt, None when there is none."""
    match answer:
        case {
            "usage": {
                "inputTokens": int(read),
                "outputTokens": int(written),
                "totalTokens": int(total),
                **others,
            }
        }:
            cached = others.get("cachedReadTokens")
            return Usage(read, written, total, cached if isinstance(cached, int) else None)
    return None


def _output(update: Mapping[str, Any]) -> str:
    match update.get("rawOutput"):
        case {"output": str(output)}:
            return output
    texts = []
    content = update.get("content")
    for item in content if isinstance(content, list) else []:
        match item:
            case {"content": {"text": str(text)}}:
                texts.append(text)
    return "\n".join(texts)
