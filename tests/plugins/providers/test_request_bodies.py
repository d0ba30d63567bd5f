"""The bodies of requests: stable to the byte, each message serialised once."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minime_core.history import History
from minime_core.messages import Message, ToolCall
from minime_core.models import ModelRequest
from minime_core.store import header
from minime_core.testing.fault_server import FaultServer
from minime_core.testing.replies import text
from minime_core.tools import Tool, ToolResult
from minime_core.turn import Turn
from minime_providers import wire
from minime_providers.openai import OpenAIProvider
from minime_providers.wire import Serialiser


async def run_nothing(arguments: object, context: object) -> ToolResult:
    return ToolResult(text="")


SCHEMA = {
    "type": "object",
    "properties": {"path": {"type": "string", "pattern": "^/"}},
    "required": ["path"],
    "additionalProperties": False,
}
TOOL = Tool(
    name="read_file",
    description="Read a file: é.",
    schema=SCHEMA,
    run=run_nothing,
    effects=frozenset({"read"}),
)


def request(messages: Any = (), **fields: Any) -> ModelRequest:
    values = {"model": "m", "messages": messages, **fields}
    return ModelRequest(turn=Turn(question="", first=0), **values)


def messages_of(body: bytes) -> bytes:
    """Return the list of messages in a body, without the bracket that closes it."""
    assert body.startswith(b'{"messages":[')
    return body[: body.index(b'],"')]


def a_history() -> History:
    history = History()
    history.append(header("id", system="Be brief."))
    return history


def test_each_request_begins_with_the_bytes_of_the_one_before() -> None:
    history, serialiser, bodies = a_history(), Serialiser({}), []

    def send(**fields: Any) -> None:
        bodies.append(messages_of(serialiser.body(request(history.view(), tools=[TOOL], **fields))))

    for number in range(3):
        history.add_question(f"Frage {number}: naïve 🎉 \udc80 \0")
        send()
        call = ToolCall(
            id=history.new_call_id(), name="read_file", arguments={"path": "ü", "n": 1.0}
        )
        history.add_answer(Message(role="assistant", text="I look.", calls=(call,)))
        history.add_result(call, "It says: ü")
        send(tool_choice="none")
        history.add_answer(Message(role="assistant", text="Done."))
    for earlier, later in pairwise(bodies):
        assert later.startswith(earlier)
        assert len(later) > len(earlier)


def test_a_resumed_session_sends_the_same_bytes() -> None:
    history = a_history()
    history.add_question("Hello")
    first = Serialiser({}).body(request(history.view()))
    resumed = History(history.records)
    assert Serialiser({}).body(request(resumed.view())) == first


def test_each_message_is_serialised_once(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    plain = wire._plain

    def counting(message: Message) -> dict[str, Any]:
        seen.append(message.text)
        return plain(message)

    monkeypatch.setattr(wire, "_plain", counting)
    history, serialiser = a_history(), Serialiser({})
    for number in range(20):
        history.add_question(f"q{number}")
        serialiser.body(request(history.view()))
        history.add_answer(Message(role="assistant", text=f"a{number}"))
    assert len(seen) == len(set(seen)) == 40


def test_equal_messages_that_are_not_the_same_object_do_not_mix() -> None:
    serialiser = Serialiser({})
    for number in range(200):
        # Freed at once, so that ids come again.
        body = serialiser.body(request([Message(role="user", text=str(number))]))
        assert json.loads(body)["messages"][0]["content"] == str(number)


def test_messages_that_left_the_view_are_forgotten() -> None:
    serialiser = Serialiser({})
    for number in range(10):
        serialiser.body(request([Message(role="user", text=str(number))]))
    assert len(serialiser._messages) == 1


def test_a_message_may_stand_twice_in_a_request() -> None:
    message = Message(role="user", text="Hello")
    body = json.loads(Serialiser({}).body(request([message, message])))
    assert [m["content"] for m in body["messages"]] == ["Hello", "Hello"]


def test_a_conversation_with_tools_has_the_shape_of_the_protocol() -> None:
    call = ToolCall(id="000000001", name="read_file", arguments={"path": "ü"})
    body = Serialiser({"return_progress": True}).body(
        request(
            [
                Message(role="system", text="Be brief."),
                Message(role="user", text="Read."),
                Message(role="assistant", calls=(call,), thinking="Hm."),
                Message(role="tool", text="It says hello.", call_id="000000001"),
            ],
            tools=[TOOL],
            tool_choice="required",
            sampling={"temperature": 0, "top_k": 20},
            max_tokens=100,
            schema={"type": "object", "properties": {"a": {"type": "string", "format": "date"}}},
            extra={"parallel_tool_calls": False},
        )
    )
    function = {"name": "read_file", "arguments": '{"path": "ü"}'}
    parameters = {
        "type": "object",
        "properties": {"path": {"type": "string"}},
        "required": ["path"],
    }
    tool = {"name": "read_file", "description": "Read a file: é.", "parameters": parameters}
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    assert json.loads(body) == {
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Read."},
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [{"id": "000000001", "type": "function", "function": function}],
            },
            {"role": "tool", "content": "It says hello.", "tool_call_id": "000000001"},
        ],
        "tools": [{"type": "function", "function": tool}],
        "model": "m",
        "stream": True,
        "stream_options": {"include_usage": True},
        "temperature": 0,
        "top_k": 20,
        "return_progress": True,
        "parallel_tool_calls": False,
        "max_tokens": 100,
        "tool_choice": "required",
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "answer", "schema": schema, "strict": True},
        },
    }


def test_tool_choice_auto_is_not_sent_and_none_keeps_the_tools() -> None:
    serialiser = Serialiser({})
    auto = json.loads(serialiser.body(request(tools=[TOOL])))
    none = json.loads(serialiser.body(request(tools=[TOOL], tool_choice="none")))
    assert "tool_choice" not in auto
    assert (none["tool_choice"], none["tools"]) == ("none", auto["tools"])


def test_without_tools_there_is_no_word_of_them() -> None:
    body = json.loads(Serialiser({}).body(request(tool_choice="none")))
    assert not {"tools", "tool_choice"} & set(body)


def test_other_tools_are_serialised_anew() -> None:
    serialiser, other = Serialiser({}), replace(TOOL, name="other")
    serialiser.body(request(tools=[TOOL]))
    body = json.loads(serialiser.body(request(tools=[TOOL, other])))
    assert [tool["function"]["name"] for tool in body["tools"]] == ["read_file", "other"]


def test_an_answer_in_one_piece_can_be_asked_for(
    ask: Callable[..., Any], server: FaultServer
) -> None:
    answer = ask(text("Hello there"), stream=False)
    assert answer.message.text == "Hello there"
    body = server.chat_requests[0].json
    assert body["stream"] is False
    assert "stream_options" not in body


def test_what_the_user_adds_wins(ask: Callable[..., Any], server: FaultServer) -> None:
    ask(text("Hi"), extra={"return_progress": False, "cache_prompt": True})
    body = server.chat_requests[0].json
    assert (body["return_progress"], body["cache_prompt"]) == (False, True)


TEXT = st.text(max_size=20) | st.sampled_from(["\ud83c", "\0", "\u2028", '"\\'])


@settings(deadline=None, max_examples=200)
@given(content=TEXT, arguments=st.dictionaries(TEXT, TEXT | st.integers() | st.none(), max_size=3))
def test_any_text_becomes_json_in_utf8(content: str, arguments: dict[str, Any]) -> None:
    call = ToolCall(id="000000001", name="read_file", arguments=arguments)
    body = Serialiser({}).body(request([Message(role="assistant", text=content, calls=(call,))]))
    sent = json.loads(body.decode("utf-8"))["messages"][0]
    assert isinstance(json.loads(sent["tool_calls"][0]["function"]["arguments"]), dict)
    if content.isprintable():
        assert sent["content"] == content


def test_ten_megabytes_and_odd_characters_reach_the_server(
    server: FaultServer,
    make_provider: Callable[..., OpenAIProvider],
    make_request: Callable[..., ModelRequest],
) -> None:
    history = a_history()
    history.add_question("ü" * 5_000_000 + "\0\udc80")

    async def run() -> None:
        provider = make_provider()
        async for _ in provider.stream(make_request(messages=history.view())):
            pass
        await provider.aclose()

    server.enqueue(text("Hello"))
    asyncio.run(run())
    assert server.chat_requests[0].json["messages"][1]["content"] == "ü" * 5_000_000 + "\ufffd" * 2


@pytest.mark.parametrize("keeps", [True, False])
def test_thoughts_go_back_only_to_a_model_that_wants_them(keeps: bool) -> None:
    question = Message(role="user", text="Hi")
    answer = Message(role="assistant", text="Hello.", thinking="A greeting.")
    serialiser = Serialiser({}, keeps_thinking=keeps)
    _, sent = json.loads(serialiser.body(request([question, answer])))["messages"]
    assert sent.get("reasoning_content") == ("A greeting." if keeps else None)
