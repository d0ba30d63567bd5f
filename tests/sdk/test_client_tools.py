"""Functions of the program as tools of the agent."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from typing import Any, Literal

import pytest

import minime
from minime import Tool

Run = Callable[..., Any]


def add_todo(text: str, priority: Literal["high", "low"] = "low") -> str:
    """Add something to the list."""
    return f"added {text} ({priority})"


async def double(number: int) -> int:
    return 2 * number


def fail(json: str) -> str:
    raise LookupError(f"no {json}")


def called(start: Any, run: Run, calls: list[Any], **options: Any) -> list[Any]:
    """Return what the agent was answered for its calls."""

    async def scenario() -> list[Any]:
        async with start(**options) as agent:
            answers: list[Any] = json.loads(
                (await agent.complete(f"call {json.dumps(calls)}")).text
            )
            return answers

    answers: list[Any] = run(scenario())
    return answers


def ok(text: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}], "isError": False}


@pytest.mark.parametrize("discovery", ["meta", "request"])
def test_tools_are_offered_with_their_schema(start: Any, run: Run, discovery: str) -> None:
    async def scenario() -> list[Any]:
        async with start(tools=[add_todo], tool_discovery=discovery) as agent:
            offers: list[Any] = json.loads((await agent.complete("tools")).text)
            return offers

    assert run(scenario()) == [
        {
            "name": "add_todo",
            "description": "Add something to the list.",
            "method": "_minime.py/tools/add_todo",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "text": {"type": "string"},
                    "priority": {
                        "type": "string",
                        "enum": ["high", "low"],
                        "default": "low",
                    },
                },
                "required": ["text"],
                "additionalProperties": False,
            },
        }
    ]


def test_functions_are_called_with_typed_arguments(start: Any, run: Run) -> None:
    calls = [
        ["add_todo", {"text": "milk"}],
        ["double", {"number": 21}],
        ["double", {"number": "2"}],
    ]
    assert called(start, run, calls, tools=[add_todo, double]) == [
        ok("added milk (low)"),
        ok("42"),
        ok("4"),
    ]


def test_what_goes_wrong_is_a_failed_call(start: Any, run: Run) -> None:
    calls = [["fail", {"json": "bread"}], ["double", {"number": "x"}], ["double", None]]
    failed, wrong, missing = called(start, run, calls, tools=[fail, double])
    assert failed == {
        "content": [{"type": "text", "text": "LookupError: no bread"}],
        "isError": True,
    }
    assert "valid integer" in wrong["content"][0]["text"]
    assert missing["isError"] is True


def test_a_method_that_is_no_tool_is_not_found(start: Any, run: Run) -> None:
    assert called(start, run, [["other", {}]], tools=[double]) == [-32601]


def test_calls_run_side_by_side(start: Any, run: Run) -> None:
    meeting = threading.Barrier(2, timeout=30)

    def meet() -> str:
        meeting.wait()
        return "met"

    assert called(start, run, [["meet", {}], ["meet", {}]], tools=[meet]) == [ok("met"), ok("met")]


def test_a_tool_is_given_its_arguments_as_they_came(start: Any, run: Run) -> None:
    given: list[Any] = []

    def handle(arguments: dict[str, Any]) -> Any:
        given.append(arguments)
        return {"größe": 1}

    raw = Tool(name="raw", handle=handle, method="_my/own")
    assert called(start, run, [["raw", {"a": [None]}]], tools=[raw]) == [ok('{"größe": 1}')]
    assert given == [{"a": [None]}]


def test_a_call_is_ended_with_its_turn(start: Any, run: Run) -> None:
    async def scenario() -> None:
        begun, ended = asyncio.Event(), asyncio.Event()

        async def wait() -> str:
            begun.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended.set()
            return "never"

        async with start(tools=[wait]) as agent:
            asking = asyncio.ensure_future(agent.complete('call [["wait", {}]]'))
            await begun.wait()
            await agent.cancel()
            await ended.wait()
            assert "cancelled" in (await asking).text

    run(scenario())


def untyped(text) -> str:  # type: ignore[no-untyped-def]
    return str(text)


def starred(*texts: str) -> str:
    return " ".join(texts)


@pytest.mark.parametrize(
    "tools",
    [
        [add_todo, add_todo],
        [untyped],
        [starred],
        [lambda text: text],
    ],
)
def test_what_cannot_be_a_tool_is_refused_at_once(start: Any, tools: Any) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        start(tools=tools)


@pytest.mark.parametrize(
    "fields",
    [
        {"name": "", "handle": print},
        {"name": "a b", "handle": print},
        {"name": "x" * 58, "handle": print},
        {"name": "a", "handle": None},
        {"name": "a", "handle": print, "method": "session/cancel"},
    ],
)
def test_a_tool_that_cannot_be_called_is_refused(fields: Any) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        Tool(**fields)


def test_the_decorator_makes_a_tool() -> None:
    tool = minime.tool(add_todo)
    assert (tool.name, tool.description) == ("add_todo", "Add something to the list.")
