"""Faults in any combination, one turn after the other in one session that is resumed in between."""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from minime_core import Arguments, Options, Session, Tool, ToolContext, ToolResult, hookimpl
from minime_core.assembly import load_host, open_session
from minime_core.events import Event, TurnDone
from minime_core.history import shape_fault
from minime_core.testing import (
    FaultServer,
    Reply,
    cut,
    error_event,
    finish,
    html,
    parallel,
    progress,
    reset,
    stall,
    status,
    text,
    thinking,
    tool_call,
)
from minime_core.testing.http1 import Request
from templates import template_fault

REASONS = {"answered", "empty", "limit", "stuck", "stalled", "failed"}
BAD_OUTPUT = "The model produced output that does not match the expected peg-native format"


def call(number: int) -> Reply:
    return tool_call("mark", {"number": number})


def written(number: int) -> Reply:
    arguments = json.dumps({"name": "mark", "arguments": {"number": number}})
    return text(f"<tool_call>\n{arguments}\n</tool_call>")


CALLS: Mapping[str, Callable[[int], Reply]] = {
    "plain": call,
    "text": written,
    "renamed": lambda n: tool_call("functions.Mark", {"number": n}),
    "not JSON": lambda n: tool_call("mark", f"{{'number': {n},}}"),
    "half": lambda n: tool_call("mark", f'{{"number": {n}'),
    "wrong": lambda n: tool_call("mark", {"numbre": [n]}),
    "unknown": lambda n: tool_call("launch", {"number": n}),
    "cut": lambda n: call(n) + cut(),
    "twice": lambda n: parallel(call(n), call(n + 1)),
    "error behind": lambda n: (
        call(n) + error_event("The model produced output that does not match")
    ),
    "text before": lambda n: text("Let me look.") + call(n),
    "thinking before": lambda n: thinking("Hm.") + call(n),
}
OTHERS = {
    "answer": text("An answer."),
    "empty": finish(),
    "thinking": thinking("I wonder.") + finish(),
    "think tag": text("<think>I wonder.</think>So."),
    "announcement": text("Let me run the command:"),
    "cut off": text("The first half") + finish("length"),
    "cut text": text("one two three") + cut(),
    "reset": text("one two") + reset(),
    "error event": text("one") + error_event(BAD_OUTPUT),
    "progress": progress(1, total=9) + text("So."),
    "busy": status(503),
    "rate": status(429, headers={"Retry-After": "0"}),
    "refused": status(400, "Conversation roles must alternate user/assistant/user/assistant"),
    "broken": status(500, "it broke"),
    "page": html(),
    "silence": stall(),
}
SCRIPTS = st.lists(st.sampled_from([*CALLS, *OTHERS]), max_size=7)


class Marks:
    """A plugin whose one tool remembers each of its calls."""

    def __init__(self) -> None:
        self.ran: list[int] = []

    @hookimpl
    def mm_register_tools(self) -> Tool:
        async def run(arguments: Arguments, context: ToolContext) -> ToolResult:
            self.ran.append(arguments["number"])
            return ToolResult(text=f"marked {arguments['number']}")

        schema = {
            "type": "object",
            "properties": {"number": {"type": "integer"}},
            "required": ["number"],
            "additionalProperties": False,
        }
        return Tool(
            name="mark", description="Mark a number.", schema=schema, run=run, effects=frozenset()
        )


class Conversation(RuleBasedStateMachine):
    """A person who asks, a server that follows scripts, and `mm` between them."""

    @initialize()
    def begin(self) -> None:
        self.stack = ExitStack()
        self.project = Path(self.stack.enter_context(tempfile.TemporaryDirectory()))
        patch = self.stack.enter_context(pytest.MonkeyPatch.context())
        patch.setenv("HOME", str(self.project))
        self.server = self.stack.enter_context(FaultServer(n_ctx=100_000))
        self.server.respond = self.respond
        self.runner = self.stack.enter_context(asyncio.Runner())
        self.script: list[str] = []
        self.number = 0
        self.marks = Marks()
        self.session = self.open(resume=None)

    def open(self, resume: str | None) -> Session:
        flags = {
            "base_url": self.server.base_url,
            "provider": "llamacpp",
            "model": "m",
            "guards": {
                "retry_wait": 0.001,
                "first_token_timeout": 0.1,
                "watchdog_timeout": 0.1,
            },
        }
        options = Options(cwd=self.project, flags=flags, resume=resume)
        host, config = load_host(options, print)
        host.register(self.marks, "marks")
        return self.runner.run(open_session(options, host, config))

    def respond(self, request: Request) -> Reply:
        messages = (request.json or {})["messages"]
        assert template_fault(messages) == "", messages
        kind = self.script.pop(0) if self.script else "answer"
        if kind in OTHERS:
            return OTHERS[kind]
        self.number += 2
        return CALLS[kind](self.number)

    @rule(script=SCRIPTS)
    def ask(self, script: list[str]) -> None:
        self.script = [*script]
        events = self.runner.run(self._events())
        done = events[-1]
        assert isinstance(done, TurnDone)
        assert done.reason in REASONS
        assert [type(event) for event in events].count(TurnDone) == 1
        assert shape_fault(self.session.history.view()) is None
        assert len(self.marks.ran) == len(set(self.marks.ran))
        assert self.server.problems == []

    async def _events(self) -> list[Event]:
        async with self.session.run("go on") as events:
            return [event async for event in events]

    @precondition(lambda self: self.session.history.view()[1:])
    @rule()
    def resume(self) -> None:
        before = self.session.history.view()
        self.runner.run(self.session.aclose())
        self.session = self.open(resume="")
        assert [*self.session.history.view()] == [*before]

    def teardown(self) -> None:
        if hasattr(self, "session"):
            self.runner.run(self.session.aclose())
            self.stack.close()


TestConversations = Conversation.TestCase
TestConversations.settings = settings(
    max_examples=25 if os.environ.get("MM_FULL_CORPUS") else 5, stateful_step_count=6
)
