"""What happens in a turn, as updates for the client."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from acp.schema import (
    AgentMessageChunk,
    AgentPlanUpdate,
    AgentThoughtChunk,
    PlanEntry,
    TextContentBlock,
    Usage,
    UsageUpdate,
    UserMessageChunk,
)

from minime_acp import tool_calls
from minime_core import events, messages
from minime_core.messages import clean_text
from minime_core.session import Session
from minime_core.tools import StepStatus, Tool

Update = Any
"""A model of an update, or the JSON object of one that the package does not know."""

OUTPUT_INTERVAL = 0.3
"""Seconds between two updates with the output of a call: each sends all of it."""
RETRACTED = "\n\n[the answer above is withdrawn; another attempt follows]\n\n"
RETRACTED_KEY = "org.mini-me/retracted"
CACHED_KEY = "org.mini-me/cachedTokens"


@dataclass(slots=True)
class OpenCall:
    """A call that the client was told of and that has no result yet."""

    output: str = ""
    last_shown: float = 0.0
    is_running: bool = False


@dataclass(slots=True, kw_only=True)
class Translation:
    """The events of one turn.

    is_free: whether calls of a tool run without a question.
    finish_reason: of the model's last answer.
    """

    session: Session
    is_free: Callable[[Tool], bool]
    finish_reason: str = ""
    open_calls: dict[str, OpenCall] = field(default_factory=dict)
    _message_id: str = ""
    _has_text: bool = False
    _used: dict[str, int] = field(default_factory=dict)

    def updates(self, event: events.Event) -> Iterator[Update]:
        """Yield what the client is told of `event`."""
        match event:
            case events.TextDelta(text):
                self._has_text = True
                yield agent_text(text, self._id())
            case events.ThinkingDelta(text):
                yield agent_thought(text, self._id())
            case events.Retracted(thinking_only):
                if self._has_text and not thinking_only:
                    yield self._retraction()
                self._next_message()
            case events.MessageDone():
                self._next_message()
                self.finish_reason = event.finish_reason
                self._count(event.usage)
                yield from usage_updates(event.usage, window(self.session))
            case events.ToolStarted():
                yield from self._started(event)
            case events.ToolOutput(call_id, text):
                yield from self._output(call_id, text)
            case events.ToolDone():
                if self.open_calls.pop(event.call_id, None) is not None:
                    yield tool_calls.finished(
                        event.call_id,
                        event.text,
                        ok=event.ok,
                        diffs=event.diffs,
                        cwd=self.session.cwd,
                    )

    def allowed(self, call_id: str) -> Iterator[Update]:
        """Yield that a call runs, for which the user was asked."""
        call = self.open_calls.get(call_id)
        if call is not None and not call.is_running:
            call.is_running = True
            yield tool_calls.running(call_id)

    def abandoned(self, why: str) -> Iterator[Update]:
        """Yield the end of the calls that will have no result: none may stay open."""
        for call_id in self.open_calls:
            yield tool_calls.finished(call_id, why, ok=False, cwd=self.session.cwd)
        self.open_calls.clear()

    def usage(self) -> Usage | None:
        """Return the turn's tokens, summed over its requests; None if the server counted none."""
        if not self._used:
            return None
        prompt, answer = self._used.get("prompt_tokens", 0), self._used.get("completion_tokens", 0)
        return Usage(
            input_tokens=prompt,
            output_tokens=answer,
            total_tokens=prompt + answer,
            cached_read_tokens=self._used.get("cached_tokens"),
        )

    def _id(self) -> str:
        self._message_id = self._message_id or uuid4().hex
        return self._message_id

    def _next_message(self) -> None:
        self._message_id, self._has_text = "", False

    def _retraction(self) -> Update:
        chunk = agent_text(RETRACTED, self._id())
        chunk.field_meta = {RETRACTED_KEY: True}
        return chunk

    def _count(self, usage: messages.Usage) -> None:
        for name in ("prompt_tokens", "completion_tokens", "cached_tokens"):
            if (count := getattr(usage, name)) is not None:
                self._used[name] = self._used.get(name, 0) + max(count, 0)

    def _started(self, event: events.ToolStarted) -> Iterator[Update]:
        tool = self.session.tools.get(event.call.name)
        can_run = tool is not None and self.session.rejection(event.call) is None
        if tool is not None and can_run and (steps := tool.plan(event.call.arguments)):
            yield plan_update(steps)
            return
        is_running = tool is not None and can_run and self.is_free(tool)
        self.open_calls[event.call.id] = OpenCall(is_running=is_running)
        yield tool_calls.started(event, self.session.cwd, is_running=is_running)

    def _output(self, call_id: str, text: str) -> Iterator[Update]:
        call = self.open_calls.get(call_id)
        if call is None:
            return
        call.output = (call.output + text)[-tool_calls.MAX_CONTENT :]
        now = time.monotonic()
        if now - call.last_shown >= OUTPUT_INTERVAL:
            call.last_shown, call.is_running = now, True
            yield tool_calls.running(call_id, call.output)


def agent_text(text: str, message_id: str) -> AgentMessageChunk:
    return AgentMessageChunk(
        session_update="agent_message_chunk", content=_text(text), message_id=message_id
    )


def agent_thought(text: str, message_id: str) -> AgentThoughtChunk:
    return AgentThoughtChunk(
        session_update="agent_thought_chunk", content=_text(text), message_id=message_id
    )


def user_text(text: str, message_id: str) -> UserMessageChunk:
    return UserMessageChunk(
        session_update="user_message_chunk", content=_text(text), message_id=message_id
    )


def plan_update(steps: Sequence[tuple[str, StepStatus]]) -> AgentPlanUpdate:
    return AgentPlanUpdate(
        session_update="plan",
        entries=[
            PlanEntry(
                content=clean_text(step),
                priority="medium",
                status="completed" if status == "done" else status,
            )
            for step, status in steps
        ],
    )


def usage_updates(usage: messages.Usage, size: int | None) -> Iterator[UsageUpdate]:
    """Yield what the context holds after a request, where server and window are known."""
    if usage.prompt_tokens is None or not size:
        return
    cached = usage.cached_tokens
    yield UsageUpdate(
        session_update="usage_update",
        used=max(usage.prompt_tokens + (usage.completion_tokens or 0), 0),
        size=size,
        field_meta=None if cached is None else {CACHED_KEY: cached},
    )


def window(session: Session) -> int | None:
    """Return the tokens of the model's window, None when it is unknown."""
    return session.settings.context_window or session.info.window


def _text(text: str) -> TextContentBlock:
    return TextContentBlock(type="text", text=clean_text(text))
