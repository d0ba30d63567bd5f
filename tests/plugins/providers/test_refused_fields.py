"""Fields that a server refuses by name are left out, and the request is repeated."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from minime_core.errors import RequestRefused
from minime_core.events import MessageDone, Notice
from minime_core.models import ModelRequest
from minime_core.testing.fault_server import FaultServer
from minime_core.testing.http1 import Request
from minime_core.testing.replies import error_event, status, text
from minime_core.testing.steps import Reply

OPENAI = {
    "error": {
        "message": "Unsupported parameter: 'max_tokens' is not supported with this model. "
        "Use 'max_completion_tokens' instead.",
        "type": "invalid_request_error",
        "param": "max_tokens",
        "code": "unsupported_parameter",
    }
}
AZURE = {"error": {"message": "Unrecognized request argument supplied: stream_options"}}
MISTRAL = {
    "detail": [
        {"type": "extra_forbidden", "loc": ["body", "return_progress"], "msg": "Extra inputs"},
        {"type": "extra_forbidden", "loc": ["body", "parallel_tool_calls"], "msg": "Extra inputs"},
    ]
}
GROQ = {"error": {"message": "property 'return_progress' is unsupported"}}
LLAMACPP = {
    "error": {
        "code": 400,
        "message": "Field 'min_p': [json.exception.type_error.302] type must be number, "
        "but is string",
        "type": "invalid_request_error",
    }
}
GO = 'json: unknown field "response_format"'


@pytest.mark.parametrize(
    ("code", "body", "gone"),
    [
        (400, OPENAI, {"max_tokens"}),
        (400, AZURE, {"stream_options"}),
        (422, MISTRAL, {"return_progress", "parallel_tool_calls"}),
        (400, GROQ, {"return_progress"}),
        (400, LLAMACPP, {"min_p"}),
        (400, GO, {"response_format"}),
    ],
    ids=["OpenAI", "Azure", "Mistral", "Groq", "llama.cpp", "Go"],
)
def test_the_request_is_repeated_without_what_was_refused(
    ask: Callable[..., Any], server: FaultServer, code: int, body: Any, gone: set[str]
) -> None:
    server.enqueue(status(code, body))
    answer = ask(
        text("Hello"),
        max_tokens=100,
        sampling={"temperature": 0, "min_p": 0.1},
        extra={"parallel_tool_calls": False},
        schema={"type": "object"},
    )
    assert answer.message.text == "Hello"
    first, second = (request.json for request in server.chat_requests)
    assert set(first) - set(second) == gone
    assert second["messages"] == first["messages"]


def test_max_tokens_is_sent_under_its_newer_name(
    ask: Callable[..., Any], server: FaultServer
) -> None:
    server.enqueue(status(400, OPENAI))
    ask(text("Hello"), max_tokens=100)
    second = server.chat_requests[1].json
    assert second["max_completion_tokens"] == 100
    assert "max_tokens" not in second


def test_several_refusals_one_after_the_other_are_met(
    ask: Callable[..., Any], server: FaultServer
) -> None:
    """OpenAI's reasoning models name one field at a time."""
    value = "Unsupported value: 'temperature' does not support 0 with this model."
    server.enqueue(status(400, OPENAI), status(400, {"error": {"message": value}}))
    ask(text("Hello"), max_tokens=100, sampling={"temperature": 0})
    third = server.chat_requests[2].json
    assert third["max_completion_tokens"] == 100
    assert not {"max_tokens", "temperature"} & set(third)


def refusing_all(request: Request) -> Reply:
    """Refuse each optional field in turn, and then the request."""
    optional = sorted(set(request.json) - {"model", "stream", "messages"})
    return status(400, f"{optional[0] if optional else 'this'} is not supported")


def test_the_user_is_told_of_what_they_set(ask: Callable[..., Any], server: FaultServer) -> None:
    server.enqueue(status(400, LLAMACPP), status(400, GROQ))
    answer = ask(text("Hello"), sampling={"min_p": 0.1})
    notices = [event for event in answer.events if isinstance(event, Notice)]
    assert notices == [
        Notice("warning", f"{server.base_url} refuses min_p: asking without", "llamacpp")
    ]


@pytest.mark.parametrize(
    "always",
    [status(400, OPENAI), status(422, MISTRAL), status(400, "no"), refusing_all],
    ids=["the same name", "the same names", "no name", "all names in turn"],
)
def test_it_never_loops(
    ask: Callable[..., Any], server: FaultServer, always: Reply | Callable[[Request], Reply]
) -> None:
    server.respond = always
    with pytest.raises(RequestRefused):
        ask_without_queue(ask, server, always)
    bodies = [request.json for request in server.chat_requests]
    assert len(bodies) <= 1 + len(set().union(*bodies) - {"model", "stream", "messages"})


def ask_without_queue(
    ask: Callable[..., Any], server: FaultServer, reply: Reply | Callable[[Request], Reply]
) -> None:
    first = reply if isinstance(reply, Reply) else status(400, "max_tokens is not supported")
    ask(first, max_tokens=100, sampling={"temperature": 0}, extra={"parallel_tool_calls": False})


def run_session(
    server: FaultServer,
    provider: Any,
    requests: list[ModelRequest],
) -> list[list[Any]]:
    async def run() -> list[list[Any]]:
        try:
            found: list[list[Any]] = []
            for request in requests:
                try:
                    found.append([event async for event in provider.stream(request)])
                except RequestRefused as error:
                    found.append([error])
            return found
        finally:
            await provider.aclose()

    return asyncio.run(run())


def test_what_was_refused_is_remembered(
    server: FaultServer,
    make_provider: Callable[..., Any],
    make_request: Callable[..., ModelRequest],
) -> None:
    server.enqueue(status(400, OPENAI), text("One"), text("Two"))
    request = make_request(max_tokens=100)
    run_session(server, make_provider(), [request, request])
    bodies = [request.json for request in server.chat_requests]
    assert ["max_tokens" in body for body in bodies] == [True, False, False]
    assert ["max_completion_tokens" in body for body in bodies] == [False, True, True]


def test_what_did_not_help_is_not_remembered(
    server: FaultServer,
    make_provider: Callable[..., Any],
    make_request: Callable[..., ModelRequest],
) -> None:
    echo = status(400, "bad request: {'temperature': 0, 'messages': ...}")
    server.enqueue(echo, echo, text("Two"))
    request = make_request(sampling={"temperature": 0})
    first, second = run_session(server, make_provider(), [request, request])
    assert isinstance(first[-1], RequestRefused)
    assert isinstance(second[-1], MessageDone)
    bodies = [request.json for request in server.chat_requests]
    assert ["temperature" in body for body in bodies] == [True, False, True]


@pytest.mark.parametrize("code", [401, 403, 404, 413, 429, 500, 503])
def test_other_refusals_are_not_repeated(
    ask: Callable[..., Any], server: FaultServer, code: int
) -> None:
    with pytest.raises(Exception, match=r"."):
        ask(status(code, "temperature"), sampling={"temperature": 0})
    assert len(server.chat_requests) == 1


def test_an_error_inside_a_stream_is_not_repeated(
    ask: Callable[..., Any], server: FaultServer
) -> None:
    with pytest.raises(Exception, match="temperature"):
        ask(text("Hel") + error_event("jinja: temperature", code=400), sampling={"temperature": 0})
    assert len(server.chat_requests) == 1


@pytest.mark.parametrize("name", ["messages", "model", "stream", "tools"])
def test_fields_that_are_needed_are_never_left_out(
    ask: Callable[..., Any], server: FaultServer, name: str
) -> None:
    with pytest.raises(RequestRefused):
        ask(status(400, f"'{name}' is not supported"))
    assert len(server.chat_requests) == 1
