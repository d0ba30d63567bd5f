"""The library, the real agent, a model server, and tools."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

import minime
from minime import ALLOW, Done, Text, Thinking, ToolCall, ToolResult
from minime_core.testing.replies import stall, status, text, thinking, tool_call
from real_agent import RealAgent

Run = Callable[..., Any]


def started(real: RealAgent, **options: Any) -> minime.starting.Starting:
    """Start the real agent; `env` cannot take variables away, the test's own have none."""
    return minime.start(
        mm=real.program,
        config=real.config,
        cwd=real.cwd,
        env={"HOME": real.variables["HOME"]},
        **options,
    )


def asked(real: RealAgent) -> list[str]:
    """Return the questions in the last request to the model."""
    messages = real.server.chat_requests[-1].json["messages"]
    return [message["content"] for message in messages if message["role"] == "user"]


def test_a_turn_with_thoughts_and_an_allowed_command(real: RealAgent, run: Run) -> None:
    real.server.enqueue(
        thinking("Hm.") + text("I look.") + tool_call("bash", {"command": "pwd"}),
        text("It is the project."),
    )

    async def scenario() -> list[minime.Event]:
        async with started(real, on_permission=lambda call: ALLOW) as agent:
            assert agent.info["name"] == "mm"
            return [event async for event in agent.stream("Where are we?")]

    events: list[minime.Event] = run(scenario())
    kinds = [event.kind for event in events if event.kind != "text"]
    assert kinds == ["thinking", "tool_call", "tool_result", "done"]
    [call] = [event for event in events if isinstance(event, ToolCall)]
    assert (call.title, call.tool_kind, call.input) == ("bash: pwd", "execute", {"command": "pwd"})
    [result] = [event for event in events if isinstance(event, ToolResult)]
    assert (result.id, result.status) == (call.id, "completed")
    assert result.output.startswith(f"{real.cwd}\n")
    assert "".join(e.text for e in events if isinstance(e, Thinking)) == "Hm."
    assert "".join(e.text for e in events if isinstance(e, Text)) == "I look.It is the project."
    assert isinstance(events[-1], Done)
    assert events[-1].text == "I look.\n\nIt is the project."
    assert events[-1].usage is not None


@pytest.mark.full
def test_what_nobody_allows_does_not_run(real: RealAgent, run: Run) -> None:
    real.server.enqueue(tool_call("bash", {"command": "touch made"}), text("I could not."))

    async def scenario() -> None:
        async with started(real) as agent:
            assert (await agent.complete("Touch it.")).text == "I could not."

    run(scenario())
    assert not (real.cwd / "made").exists()
    assert "did NOT run" in real.server.chat_requests[-1].json["messages"][-1]["content"]


@pytest.mark.full
@pytest.mark.parametrize("discovery", ["meta", "request"])
def test_functions_of_the_program_are_tools(real: RealAgent, run: Run, discovery: Any) -> None:
    todos: list[str] = []

    def add_todo(text: str) -> str:
        """Add something to the list."""
        todos.append(text)
        return f"added {text}"

    real.server.enqueue(tool_call("client_add_todo", {"text": "milk"}), text("Added."))
    titles: list[str] = []

    def allow(call: ToolCall) -> bool:
        titles.append(call.title)
        return True

    async def scenario() -> None:
        async with started(
            real, tools=[add_todo], tool_discovery=discovery, on_permission=allow
        ) as agent:
            assert (await agent.complete("Add milk.")).text == "Added."

    run(scenario())
    assert (todos, titles) == (["milk"], ["client: add_todo"])
    assert real.server.chat_requests[-1].json["messages"][-1]["content"] == "added milk"


@pytest.mark.full
def test_a_cancelled_question_leaves_no_trace(real: RealAgent, run: Run) -> None:
    real.server.enqueue(text("Once upon ") + stall(), text("42."))

    async def scenario() -> None:
        async with started(real) as agent:
            async with agent.stream("A long story.") as turn:
                async for event in turn:
                    if isinstance(event, Text):
                        await agent.cancel()
                assert turn.result.stop_reason == "cancelled"
                assert turn.result.text.startswith("Once")
            assert (await agent.complete("6 times 7?")).text == "42."

    run(scenario())
    assert asked(real) == ["6 times 7?"]


def test_a_late_yes_after_a_cancel_runs_nothing(real: RealAgent, run: Run) -> None:
    real.server.enqueue(tool_call("bash", {"command": "touch made"}), text("Hello."))

    async def scenario() -> None:
        asked = asyncio.Event()
        late = asyncio.Event()

        async def allow(call: ToolCall) -> bool:
            asked.set()
            await late.wait()
            return True

        async with started(real, on_permission=allow) as agent:
            turn = asyncio.create_task(agent.complete("Touch it."))
            await asked.wait()
            await agent.cancel()
            late.set()
            assert (await turn).stop_reason == "cancelled"
            assert (await agent.complete("Hello.")).text == "Hello."

    run(scenario())
    assert not (real.cwd / "made").exists()


@pytest.mark.full
def test_reset_forgets(real: RealAgent, run: Run) -> None:
    real.server.respond = text("Yes.")

    async def scenario() -> None:
        async with started(real) as agent:
            first = agent.session_id
            await agent.complete("Remember seven.")
            await agent.reset()
            assert agent.session_id != first
            await agent.complete("Which number?")

    run(scenario())
    assert asked(real) == ["Which number?"]


def test_an_error_of_the_model_server_has_its_words(real: RealAgent, run: Run) -> None:
    real.server.enqueue(status(401, "invalid key"), text("Fine now."))

    async def scenario() -> None:
        async with started(real) as agent:
            with pytest.raises(minime.TurnError, match="key") as caught:
                await agent.complete("Hello?")
            assert caught.value.code == -32603
            assert (await agent.complete("And now?")).text == "Fine now."

    run(scenario())


def test_settings_that_cannot_be_used_are_told_at_the_start(real: RealAgent, run: Run) -> None:
    real.config.write_text("modle: m\n")

    async def scenario() -> None:
        async with started(real):
            pass

    with pytest.raises(minime.MinimeError, match="modle"):
        run(scenario())


@pytest.mark.full
def test_it_works_without_await(real: RealAgent) -> None:
    real.server.enqueue(text("Once upon ") + stall(), text("42."))
    with minime.sync.start(
        mm=real.program, config=real.config, cwd=real.cwd, env={"HOME": real.variables["HOME"]}
    ) as agent:
        for event in agent.stream("A long story."):
            assert isinstance(event, Text)
            break
        assert agent.complete("6 times 7?").text == "42."
    assert asked(real) == ["6 times 7?"]
