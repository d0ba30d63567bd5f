"""Each request begins with the bytes of the one before it, except at announced rewrites."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from minime_context.prefix import first_change
from minime_context.state import state_of
from minime_core.events import MessageDone
from minime_core.messages import Message, Usage
from minime_core.models import ModelRequest
from minime_core.records import Edit, Rewrite
from minime_core.testing.simulation import FileReader, SimulatedServer
from minime_core.tools import Tool, ToolResult
from minime_core.turn import Turn
from minime_providers.wire import Serialiser

TURN = Turn(question="", first=0)
EVERYTHING = ("builtin_tools", "guards", "prompt", "skills", "tool_formats", "context")
ON = {"builtin_tools": {"plan": True, "fetch_content": True}, "max_output": 2500}


def bodies(requests: Sequence[ModelRequest]) -> list[list[bytes]]:
    """Return the messages of each request as they are sent."""
    return [
        [Serialiser({}).body(_only(request, m)) for m in request.messages] for request in requests
    ]


def _only(request: ModelRequest, message: Message) -> ModelRequest:
    return ModelRequest(model="m", messages=[message], turn=request.turn)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder of files to read."""
    for number in range(12):
        lines = "".join(f"value_{n} = {n * number}  # a number\n" for n in range(150))
        (tmp_path / f"module_{number}.py").write_text(lines)
    return tmp_path


def check(requests: Sequence[ModelRequest], rewrites_before: Sequence[int]) -> int:
    """Check the requests of a session; return how often the prefix was broken.

    rewrites_before: how many rewrites there were when each request was sent.
    """
    broken = last = 0
    sent = bodies(requests)
    for number in range(1, len(sent)):
        before, now = sent[last], sent[number]
        assert now[0] == before[0]
        assert requests[number].tools == requests[0].tools
        if requests[number].tool_choice == "none":
            # A question for a summary comes behind a part of what was sent before, and is not kept.
            assert now[:-1] == before[: len(now) - 1]
            continue
        if now[: len(before)] != before:
            broken += 1
            assert rewrites_before[number] > rewrites_before[last]
        last = number
    return broken


def test_thirty_questions_with_everything_on(open_chat: Any, project: Path) -> None:
    rewrites: list[int] = []
    reader = FileReader(project, seed=5)

    def respond(request: ModelRequest) -> Message:
        rewrites.append(len(chats[0].rewrites))
        return reader(request)

    server = SimulatedServer(respond, window=8192)
    chats = [open_chat(server, plugins=EVERYTHING, tools=(), **ON)]
    announced = 0
    for number in range(30):
        assert chats[0].ask(f"Question {number}?").reason == "answered"
        announced += sum("tokens became" in notice for notice in chats[0].notices)
    assert server.overflows == 0
    assert announced == len(chats[0].rewrites)
    broken = check(server.requests, rewrites)
    assert 0 < broken <= announced
    assert "summary" in chats[0].rewrites


def test_a_resumed_session_goes_on_with_the_same_bytes(open_chat: Any, project: Path) -> None:
    server = SimulatedServer(FileReader(project, seed=7), window=8192)
    chat = open_chat(server, plugins=EVERYTHING, tools=(), **ON)
    for number in range(10):
        chat.ask(f"Question {number}?")
    assert chat.rewrites
    last = len(server.requests) - 1
    chat.close()
    again = open_chat(server, plugins=EVERYTHING, tools=(), resume="", **ON)
    cached = server.cached
    again.ask("One more?")
    before, now = bodies(server.requests[last : last + 2])
    if again.rewrites == chat.rewrites:
        assert now[: len(before)] == before
        assert server.cached - cached > 1000
    assert now[0] == before[0]
    assert [tool.name for tool in server.requests[-1].tools] == list(chat.session.tools)


def answer(cached: int, prompt: int) -> MessageDone:
    return MessageDone(
        message=Message(role="assistant", text="Hi."),
        usage=Usage(prompt_tokens=prompt, cached_tokens=cached),
    )


def test_a_cache_that_was_lost_is_named_by_context(open_chat: Any, make_model: Any) -> None:
    chat = open_chat(make_model(answer(0, 1000), answer(990, 1100), answer(100, 1200)))
    chat.ask("One?")
    chat.ask("Two?")
    assert state_of(chat.session).prefix.broken == ""
    chat.ask("Three?")
    assert "it was the server that let it go" in state_of(chat.session).prefix.broken
    assert "of 1,100 tokens the server had 100 in its cache" in chat.command("context")
    assert chat.notices == []


def test_a_rewrite_that_made_the_server_read_again_is_named(
    open_chat: Any, make_model: Any
) -> None:
    chat = open_chat(make_model(answer(0, 1000), answer(990, 1100), answer(20, 400)))
    chat.ask("One?")
    chat.ask("Two?")
    edit = Edit(first=1, last=1, messages=(Message(role="user", text="..."),))
    chat.session.history.append(Rewrite(why="shortened a message", edits=(edit,)))
    chat.ask("Three?")
    broken = state_of(chat.session).prefix.broken
    assert broken.startswith("message 1 (user) changed (shortened a message): of 1,100 tokens")


def test_it_is_named_at_once_for_who_looks_for_faults(open_chat: Any, make_model: Any) -> None:
    chat = open_chat(make_model(answer(0, 1000), answer(10, 1000)))
    state_of(chat.session).prefix._is_debug = True
    chat.ask("One?")
    chat.ask("Two?")
    assert any(notice.startswith("cache lost, the prompt went on") for notice in chat.notices)


SAME = (
    Message(role="system", text="Be brief."),
    Message(role="user", text="One?"),
    Message(role="assistant", text="Yes."),
)


@pytest.mark.parametrize(
    ("messages", "named"),
    [
        ((*SAME, Message(role="user", text="Two?")), "the prompt went on as before, so it was the"),
        ((Message(role="system", text="Other."), *SAME[1:]), "the system prompt changed"),
        ((*SAME[:2], Message(role="assistant", text="No.")), "message 2 (assistant) changed"),
        (SAME[:2], "what came after message 1 is gone"),
    ],
)
def test_what_changed_is_named(messages: Sequence[Message], named: str) -> None:
    before = ModelRequest(model="m", messages=SAME, turn=TURN)
    assert first_change(before, replace(before, messages=messages)).startswith(named)


def test_fields_that_templates_read_are_named() -> None:
    before = ModelRequest(model="m", messages=SAME, turn=TURN, extra={"seed": 1, "a": 1})
    now = replace(before, extra={"seed": 1, "chat_template_kwargs": {"enable_thinking": False}})
    assert first_change(before, now) == (
        "the messages went on as before, but a, chat_template_kwargs changed"
    )


def test_tools_that_changed_are_named() -> None:
    before = ModelRequest(model="m", messages=SAME, turn=TURN)
    tool = Tool(name="t", description="", schema={}, run=_nothing, effects=frozenset())
    assert first_change(before, replace(before, tools=(tool,))) == "the tools changed"


async def _nothing(arguments: Any, context: Any) -> ToolResult:
    return ToolResult(text="")


def test_one_request_at_a_time_and_none_beside_the_users(open_chat: Any, project: Path) -> None:
    server = SimulatedServer(FileReader(project, seed=3, calls=(1, 1)), window=1 << 20)
    chat = open_chat(server, plugins=EVERYTHING, tools=(), **ON)
    for number in range(5):
        chat.ask(f"Question {number}?")
    questions = [request.messages[-1] for request in server.requests]
    assert [m.text for m in questions if m.role == "user"] == [f"Question {n}?" for n in range(5)]
    assert len(server.requests) == 10
