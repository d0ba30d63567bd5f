from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path
from typing import Any, get_args

import pytest

from minime_core.errors import ConnectionFailed
from minime_core.events import (
    ContextUsage,
    Continue,
    Event,
    FileDiff,
    Heartbeat,
    MessageDone,
    Notice,
    PromptProgress,
    Retracted,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
    ToolDone,
    ToolOutput,
    ToolStarted,
    TurnDone,
    to_json,
)
from minime_core.messages import Message, Timings, ToolCall, Usage

CALL = ToolCall(id="000000001", name="bash", arguments={"command": "ls", "n": 0})
CALL_JSON = {"id": "000000001", "name": "bash", "arguments": {"command": "ls", "n": 0}}

CASES: list[tuple[Event, dict[str, Any]]] = [
    (TextDelta("a"), {"type": "text_delta", "text": "a"}),
    (TextDelta(""), {"type": "text_delta", "text": ""}),
    (ThinkingDelta("a"), {"type": "thinking_delta", "text": "a"}),
    (
        ToolCallDelta(0, "bash", '{"c'),
        {"type": "tool_call_delta", "index": 0, "name": "bash", "arguments": '{"c'},
    ),
    (Retracted(), {"type": "retracted"}),
    (Retracted(thinking_only=True), {"type": "retracted", "thinking_only": True}),
    (PromptProgress(0, 10), {"type": "prompt_progress", "done": 0, "total": 10}),
    (Heartbeat(), {"type": "heartbeat"}),
    (
        MessageDone(message=Message(role="assistant", text="hi")),
        {"type": "message_done", "message": {"role": "assistant", "text": "hi"}},
    ),
    (
        MessageDone(
            message=Message(role="assistant", calls=(CALL,), thinking="so"),
            usage=Usage(prompt_tokens=0, completion_tokens=2),
            timings=Timings(prompt_ms=1.5),
            finish_reason="tool_calls",
        ),
        {
            "type": "message_done",
            "message": {"role": "assistant", "calls": [CALL_JSON], "thinking": "so"},
            "usage": {"prompt_tokens": 0, "completion_tokens": 2},
            "timings": {"prompt_ms": 1.5},
            "finish_reason": "tool_calls",
        },
    ),
    (Continue(note="go on"), {"type": "continue", "note": "go on"}),
    (ContextUsage(used=5), {"type": "context_usage", "used": 5}),
    (
        ContextUsage(
            used=5,
            window=8,
            cached_share=0.0,
            prefill_per_second=2.5,
            generation_per_second=1.0,
        ),
        {
            "type": "context_usage",
            "used": 5,
            "window": 8,
            "cached_share": 0.0,
            "prefill_per_second": 2.5,
            "generation_per_second": 1.0,
        },
    ),
    (
        ToolStarted(call=CALL, title="bash: ls", kind="execute", locations=("a", "b")),
        {
            "type": "tool_started",
            "call": CALL_JSON,
            "title": "bash: ls",
            "kind": "execute",
            "locations": ["a", "b"],
        },
    ),
    (ToolOutput("000000001", "x"), {"type": "tool_output", "call_id": "000000001", "text": "x"}),
    (
        ToolDone(
            call_id="000000001",
            name="edit_file",
            text="",
            ok=False,
            seconds=0.0,
            diffs=(FileDiff(path="a", old=None, new="x"),),
        ),
        {
            "type": "tool_done",
            "call_id": "000000001",
            "name": "edit_file",
            "text": "",
            "ok": False,
            "seconds": 0.0,
            "diffs": [{"path": "a", "old": None, "new": "x"}],
        },
    ),
    (Notice("warning", "w"), {"type": "notice", "level": "warning", "text": "w"}),
    (
        TurnDone(reason="answered", text="hi"),
        {"type": "turn_done", "reason": "answered", "text": "hi"},
    ),
    (
        TurnDone(reason="failed", error=ConnectionFailed("down", provider="p")),
        {"type": "turn_done", "reason": "failed", "error": "down"},
    ),
]


@pytest.mark.parametrize(("event", "expected"), CASES, ids=lambda case: type(case).__name__)
def test_an_event_as_json_leaves_out_what_has_its_default(
    event: Event, expected: dict[str, Any]
) -> None:
    assert to_json(event) == expected


def test_every_kind_of_event_is_tried_here() -> None:
    assert {type(event) for event, _ in CASES} == set(get_args(Event))


@pytest.mark.parametrize("event", [event for event, _ in CASES], ids=lambda e: type(e).__name__)
def test_an_event_as_json_can_be_printed(event: Event) -> None:
    assert json.loads(json.dumps(to_json(event), allow_nan=False)) == to_json(event)


@pytest.mark.parametrize("event", [event for event, _ in CASES], ids=lambda e: type(e).__name__)
def test_fields_without_a_default_are_always_there(event: Event) -> None:
    required = {f.name for f in dataclasses.fields(event) if f.default is dataclasses.MISSING}
    assert required <= to_json(event).keys()


def test_the_reference_page_has_all_events_with_all_fields() -> None:
    page = Path(__file__).parents[2] / "docs" / "reference" / "output.md"
    rows = {
        cells[1].strip(" `"): cells[2].strip()
        for line in page.read_text().splitlines()
        if len(cells := line.split("|")) == 5
    }
    for kind in get_args(Event):
        if kind is Continue:  # It is for the loop alone.
            continue
        names = ", ".join(f"`{field.name}`" for field in dataclasses.fields(kind))
        assert rows[_type_of(kind)] == names


def _type_of(kind: type[Event]) -> str:
    return re.sub("(?<!^)([A-Z])", r"_\1", kind.__name__).lower()
