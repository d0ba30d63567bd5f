from __future__ import annotations

import base64
import json
import random
from pathlib import Path
from typing import Any

import pytest

from minime_core.events import (
    ModelEvent,
    Retracted,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
)
from minime_core.testing.fault_server import FaultServer
from minime_core.testing.replies import delta, endless, text, thinking, tool_call, trace
from minime_guards.repetition import Prose, Repetition, data_limit, thoughts_limit
from minime_guards.runaway import MAX_ARGUMENTS, wrap

ROOT = Path(__file__).parents[3]
LINE = "Greet 2026-06-15 11:16:00 and then "


def pieces(written: str, size: int = 4) -> list[str]:
    return [written[at : at + size] for at in range(0, len(written), size)]


def is_endless(written: str, kind: str, size: int = 4) -> bool:
    prose = Prose()
    limit = {"prose": prose.limit, "thoughts": thoughts_limit, "data": data_limit}[kind]
    repetition = Repetition(limit)
    for piece in pieces(written, size):
        prose.read(piece)
        if repetition.is_endless(piece):
            return True
    return False


# What is a runaway


@pytest.mark.parametrize("size", [1, 4, 50])
@pytest.mark.parametrize(
    ("written", "kind"),
    [
        ("The files are:\n\n" + "- `test.json`\n" * 20, "prose"),
        ("I will try again.\n" * 20, "prose"),
        ("So the answer is so " * 60, "prose"),
        ("!" * 5000, "prose"),
        ("\n" * 5000, "prose"),
        ("\n\n}" * 45, "thoughts"),
        ("Wait, no. Let me check.\n" * 20, "thoughts"),
        ("hmm " * 300, "thoughts"),
        ("x = 1\n" + LINE * 260, "data"),
        ("```python\n" + "print('hello')\n" * 600, "prose"),
        ('{"content": "' + LINE * 260, "data"),
        ('{"tool": "write_file", "arguments": {"content": "' + LINE * 260, "prose"),
        ("| a | b |\n|---|---|\n" + "| 0 | 0 |\n" * 900, "prose"),
        ("é" * 100 + "añb\n" * 80, "prose"),
    ],
)
def test_endless_repetition_is_seen(written: str, kind: str, size: int) -> None:
    assert is_endless(written, kind, size)


@pytest.mark.parametrize("period", [4, 5, 16, 63, 64, 65, 200, 256])
def test_every_period_up_to_the_longest_is_seen(period: int) -> None:
    unit = "".join(random.Random(period).choices("abcdefgh ", k=period))
    assert is_endless("Begin: " + unit * (1 + 9000 // period), "data")


# What is none

ROWS = json.dumps([{"x": 0, "y": 0, "name": "empty"}] * 80, indent=2)
REFRAIN = (
    "Row, row, row your boat,\nGently down the stream,\n"
    "Merrily, merrily, merrily, merrily,\nLife is but a dream.\n\n"
) * 12
TABLE = "| day | open |\n|-----|------|\n" + "| yes | no   |\n" * 60
NUMBERS = "".join(f"{n}. `test.py`\n" for n in range(1, 200))
RULE = "\n\n" + "-" * 300 + "\n\n" + "=" * 200 + "\n"
CODE = "```python\n" + "    add(0, 0, 0)\n" * 120 + "```\n"
BASE64 = base64.b64encode(random.Random(1).randbytes(6000) + bytes(2000)).decode()
MAP = "\n".join(["." * 40] * 60)
LIST = "".join(f"- item number {n}\n" for n in random.Random(3).choices(range(7), k=300))
SHORT_LIST = "- yes\n" * 15


@pytest.mark.parametrize(
    ("written", "kinds"),
    [
        (ROWS, ["data", "prose"]),
        (REFRAIN, ["data", "prose", "thoughts"]),
        (TABLE, ["data", "prose"]),
        (NUMBERS, ["data", "prose", "thoughts"]),
        (RULE, ["data", "prose", "thoughts"]),
        (CODE, ["data", "prose"]),
        (BASE64, ["data", "prose", "thoughts"]),
        (MAP, ["data"]),
        (f"The map:\n```\n{MAP}\n```\n", ["prose"]),
        (json.dumps([[0] * 40] * 20), ["data", "prose"]),
        (LIST, ["data", "prose", "thoughts"]),
        (SHORT_LIST, ["data", "prose", "thoughts"]),
        ("na " * 60 + "Batman", ["prose", "thoughts", "data"]),
        ("    " * 200, ["data", "prose", "thoughts"]),
    ],
)
def test_real_repetition_is_left_alone(written: str, kinds: list[str]) -> None:
    for kind in kinds:
        assert not is_endless(written, kind), kind


@pytest.mark.parametrize("kind", ["prose", "thoughts", "data"])
def test_the_texts_of_this_project_are_left_alone(kind: str) -> None:
    found = [*ROOT.glob("*.md"), *ROOT.glob("minime_core/**/*.py"), ROOT / "LICENSE"]
    assert len(found) > 20
    for path in found:
        assert not is_endless(path.read_text(), kind, 16), path


# The layer


def test_a_recorded_loop_is_stopped(chat: Any, server: FaultServer, traces: Path) -> None:
    server.enqueue(trace(traces / "text_loop_hermes.sse"), text("Two files."))
    done = chat.ask()
    assert (done.reason, done.text) == ("answered", "Two files.")
    assert chat.of(Retracted) == [Retracted()]


def test_recorded_thinking_that_runs_away_is_stopped(
    chat: Any, server: FaultServer, traces: Path
) -> None:
    server.enqueue(trace(traces / "reasoning_runaway_gpt_oss.sse"), text("Two files."))
    assert chat.ask().reason == "answered"
    assert chat.of(Retracted) == [Retracted(thinking_only=True)]


@pytest.mark.parametrize(
    "name",
    [
        "text",
        "text_cut_by_max_tokens",
        "text_usage_timings_progress",
        "tools_ignored_by_template",
        "reasoning_qwen35",
        "reasoning_cut_qwen35",
        "tool_call_gpt_oss",
        "tool_calls_parallel_wrong_args_gemma4",
    ],
)
def test_other_recorded_answers_are_left_alone(
    chat: Any, server: FaultServer, traces: Path, name: str
) -> None:
    server.enqueue(trace(traces / f"{name}.sse"))
    server.respond = text("Done.")
    chat.ask()
    assert chat.of(Retracted) == []
    assert not any("stopped" in notice for notice in chat.notices)


def test_the_server_stops_generating_at_once(chat: Any, server: FaultServer) -> None:
    server.enqueue(endless(text("I will try again.\n", chunks=2)), text("Done."))
    assert chat.ask().text == "Done."
    assert server.chat_requests[0].wait_ended()
    assert server.chat_requests[0].closed_by_client
    note = server.chat_requests[1].json["messages"][-1]["content"]
    assert note.startswith("hi\n\n[note: You began to repeat yourself")
    assert "note" not in chat.session.history.view()[1].text


def test_the_second_time_the_turn_ends(mm: Any, server: FaultServer) -> None:
    server.enqueue(*[endless(thinking("Wait, no.\n", chunks=1))] * 2)
    code, out, err = mm.ask()
    assert (code, out) == (1, "")
    assert "stuck: in its answer, it repeated itself without end" in err
    assert len(server.chat_requests) == 2


def test_a_call_that_repeats_itself_goes_back_to_the_model(chat: Any, server: FaultServer) -> None:
    begin = tool_call("write_file", '{"path": "a.txt", "content": "', fragments=1, index=0)
    server.enqueue(
        begin + endless(delta({"tool_calls": [{"index": 0, "function": {"arguments": LINE}}]})),
        text("Then not."),
    )
    assert chat.ask().text == "Then not."
    assert chat.tools.ran == []
    assert server.chat_requests[0].closed_by_client
    (result,) = chat.results
    assert result.startswith("[write_file: its arguments repeated themselves without end, so it")
    assert any("stopped a call of write_file" in notice for notice in chat.notices)


def fragments(count: int, size: int = 4096) -> list[ModelEvent]:
    """Return pieces of arguments in which nothing repeats."""
    rng = random.Random(2)
    return [ToolCallDelta(0, "write_file", rng.randbytes(size // 2).hex()) for _ in range(count)]


def test_arguments_without_end_are_stopped(model: Any) -> None:
    script = model.Script(fragments(1000))
    events = model.run(wrap, script)
    assert len(events) == MAX_ARGUMENTS // 4096 + 3
    assert script.closed == 1
    (call,) = events[-1].message.calls
    assert call.rejected == (
        "[write_file: its arguments were longer than 256 KB, so it was stopped and did NOT run. "
        "Write it differently and much shorter.]"
    )


def test_long_arguments_are_left_alone(model: Any) -> None:
    script = model.Script(fragments(MAX_ARGUMENTS // 4096))
    assert len(model.run(wrap, script)) == MAX_ARGUMENTS // 4096


def test_a_whole_call_before_a_runaway_one_is_kept(chat: Any, server: FaultServer) -> None:
    piece = delta({"tool_calls": [{"index": 1, "function": {"arguments": LINE}}]})
    server.enqueue(
        tool_call("bash", {"command": "ls"})
        + tool_call("write_file", '{"content": "', fragments=1)
        + endless(piece),
        text("Done."),
    )
    chat.ask()
    assert chat.tools.ran == [("bash", {"command": "ls"})]
    assert len(chat.results) == 2


def test_the_third_runaway_call_of_a_turn_ends_it(chat: Any, server: FaultServer) -> None:
    piece = delta({"tool_calls": [{"index": 0, "function": {"arguments": LINE}}]})
    begin = tool_call("write_file", '{"content": "', fragments=1, index=0)
    server.enqueue(*[begin + endless(piece)] * 3)
    assert chat.ask().reason == "stuck"


def test_what_was_withdrawn_further_in_does_not_count(model: Any) -> None:
    half = [TextDelta("I will try again.\n")] * 9
    script = model.Script([*half, Retracted(), *half, model.done("x")])
    assert len(model.run(wrap, script)) == 20
    assert len(script.requests) == 1


def test_thoughts_and_text_are_judged_apart(model: Any) -> None:
    script = model.Script(
        [ThinkingDelta("Once more, this line.\n"), TextDelta("Once more, this line.\n")] * 8
    )
    assert len(model.run(wrap, script)) == 16
