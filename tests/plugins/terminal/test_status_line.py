"""What the status line says, and the line after a turn."""

from __future__ import annotations

from typing import Any

import pytest

from minime_core.events import (
    ContextUsage,
    Heartbeat,
    MessageDone,
    PromptProgress,
    Retracted,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
    ToolDone,
    ToolStarted,
)
from minime_core.messages import Message, Timings, ToolCall, Usage
from minime_core.tools import Arguments, Tool, ToolContext, ToolResult
from minime_terminal import figures
from minime_terminal.signs import ASCII, UNICODE, signs_for
from minime_terminal.status import Status
from minime_terminal.summary import Summary


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


STARTED = ToolStarted(call=ToolCall(name="bash", arguments={}), title="bash: ls", kind="execute")
DONE = ToolDone(call_id="1", name="bash", text="", ok=True, seconds=1.0)


@pytest.mark.parametrize(
    ("events", "line"),
    [
        ([], "Waiting for the server"),
        ([Heartbeat()], "Waiting for the server"),
        ([ThinkingDelta("hm")], "Thinking"),
        ([ThinkingDelta("hm"), TextDelta("yes")], "Writing"),
        ([ToolCallDelta(0, "bash", "x" * 1200)], "Composing a tool call (1.2 kB)"),
        ([ToolCallDelta(0, "bash", "x"), ToolCallDelta(0, "", "é")], "Composing a tool call (3 B)"),
        ([STARTED], "Running bash"),
        ([STARTED, DONE], "Waiting for the server"),
        (
            [TextDelta("a"), MessageDone(message=Message(role="assistant"))],
            "Waiting for the server",
        ),
        ([TextDelta("a"), Retracted()], "Waiting for the server"),
        ([PromptProgress(0, 25_300)], "Reading the prompt 0/25.3k"),
    ],
)
def test_the_phase_is_told(events: list[Any], line: str, clock: Clock) -> None:
    status = Status("·", clock)
    for event in events:
        status.see(event)
    assert status.line() == line
    clock.now += 3
    assert status.line().startswith(line)
    assert status.line().endswith(" 3 s")


def test_how_long_the_rest_of_the_prompt_takes_is_told_from_its_speed(clock: Clock) -> None:
    status = Status("·", clock)
    status.see(PromptProgress(2_000, 26_000, cached=2_000))
    clock.now += 0.1
    status.see(PromptProgress(2_100, 26_000, cached=2_000))
    assert status.line() == "Reading the prompt 2.1k/26.0k"
    clock.now += 19.9
    status.see(PromptProgress(12_000, 26_000, cached=2_000))
    assert status.line() == "Reading the prompt 12.0k/26.0k · 28 s left"
    clock.now += 10
    assert status.line() == "Reading the prompt 12.0k/26.0k · 42 s left"


def test_the_next_prompt_is_measured_anew(clock: Clock) -> None:
    status = Status("·", clock)
    status.see(PromptProgress(5_000, 10_000))
    clock.now += 10
    status.see(PromptProgress(0, 20_000))
    clock.now += 1
    status.see(PromptProgress(1_000, 20_000))
    assert status.line() == "Reading the prompt 1.0k/20.0k · 19 s left"


def test_the_time_that_the_user_takes_is_not_counted(clock: Clock) -> None:
    status, summary = Status("·", clock), Summary({}, UNICODE, clock)
    status.see(STARTED)
    clock.now += 100
    status.restart()
    summary.skip(100)
    clock.now += 2
    assert (status.line(), summary.facts()[0]) == ("Running bash 2 s", "2.0 s")


async def _run(arguments: Arguments, context: ToolContext) -> ToolResult:
    return ToolResult(text="")


def tool(name: str, tally: str) -> Tool:
    return Tool(name=name, description="", schema={}, run=_run, effects=frozenset(), tally=tally)


def test_what_a_turn_cost_is_told_after_it(clock: Clock) -> None:
    tools = {"bash": tool("bash", "command"), "skill": tool("skill", "skill"), "x": tool("x", "")}
    summary = Summary(tools, UNICODE, clock)
    for prompt, cached in ((1000, 0), (3000, 2400)):
        usage = Usage(prompt_tokens=prompt, completion_tokens=50, cached_tokens=cached)
        timings = Timings(generated_tokens=50, generation_ms=1000)
        done = MessageDone(message=Message(role="assistant"), usage=usage, timings=timings)
        summary.see(done)
    summary.see(DONE)
    summary.see(ToolDone(call_id="2", name="bash", text="", ok=False, ran=False, seconds=0.0))
    summary.see(ToolDone(call_id="3", name="x", text="", ok=True, seconds=0.0))
    summary.see(ContextUsage(used=3050, window=8192, prefill_per_second=412.4))
    clock.now += 12.34
    assert " · ".join(summary.facts()) == (
        "12 s · 4.0k tokens in (60 % cached, 412/s) · 100 out · 50.0 tokens/s · "
        "window 3.0k/8.2k · ⚙ 1 command · 📖 0 skills"
    )


def test_what_the_server_did_not_tell_is_not_shown(clock: Clock) -> None:
    summary = Summary({"bash": tool("bash", "command")}, ASCII, clock)
    summary.see(MessageDone(message=Message(role="assistant")))
    summary.see(ContextUsage(used=10))
    clock.now += 1
    assert summary.facts() == ["1.0 s", "0 commands, 0 skills"]


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "0"), (999, "999"), (1000, "1.0k"), (12_040, "12.0k"), (999_949, "999.9k"), (1e6, "1.0M")],
)
def test_tokens_are_short(number: int, text: str) -> None:
    assert figures.tokens(number) == text


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.04, "0.0 s"),
        (9.94, "9.9 s"),
        (9.96, "10 s"),
        (59.6, "1 min 0 s"),
        (125, "2 min 5 s"),
        (4800, "1 h 20 min"),
    ],
)
def test_durations_are_as_exact_as_they_matter(number: float, text: str) -> None:
    assert figures.seconds(number) == text


@pytest.mark.parametrize("encoding", ["latin-1", "ascii", "cp437", "nonsense"])
def test_signs_are_those_that_the_encoding_has(encoding: str) -> None:
    assert signs_for(encoding) is ASCII
    assert signs_for("utf-8") is UNICODE
