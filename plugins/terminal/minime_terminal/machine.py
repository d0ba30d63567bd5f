"""Turns as JSON: one object for the whole turn, or one line for each event."""

from __future__ import annotations

import json
from contextlib import aclosing
from typing import Any, TextIO

from minime_core.cli.opening import Opener
from minime_core.cli.stdout import stdout_for_answers
from minime_core.events import (
    ContextUsage,
    MessageDone,
    Notice,
    ToolDone,
    ToolStarted,
    TurnDone,
    to_json,
)
from minime_core.frontends import exit_code
from minime_core.session import Session


def _print(value: Any, out: TextIO) -> None:
    # ASCII alone, so that no text of a model reaches a terminal as a control sequence.
    print(json.dumps(value, ensure_ascii=True), file=out, flush=True)


async def print_events(opener: Opener, prompt: str | None) -> int:
    """Print each event as one line of JSON."""
    assert prompt is not None
    code = 1
    with stdout_for_answers() as out:
        async with opener.open() as session:
            _print({"type": "session_started", **_about(session)}, out)
            async with session.run(prompt) as events, aclosing(events):
                async for event in events:
                    _print(to_json(event), out)
                    if isinstance(event, TurnDone):
                        code = exit_code(event)
    return code


async def print_result(opener: Opener, prompt: str | None) -> int:
    """Print one JSON object when the turn is over."""
    assert prompt is not None
    with stdout_for_answers() as out:
        async with opener.open() as session:
            result = await _result(session, prompt)
        _print(result, out)
    return int(result["exit_code"])


async def _result(session: Session, prompt: str) -> dict[str, Any]:
    result: dict[str, Any] = {**_about(session), "answer": "", "reason": "failed", "calls": []}
    titles: dict[str, ToolStarted] = {}
    notices: list[str] = []
    code = 1
    async with session.run(prompt) as events, aclosing(events):
        async for event in events:
            if isinstance(event, ToolStarted):
                titles[event.call.id] = event
            elif isinstance(event, ToolDone):
                started = titles[event.call_id]
                result["calls"].append(
                    {
                        "name": event.name,
                        "arguments": dict(started.call.arguments),
                        "ok": event.ok,
                        "output": event.text,
                    }
                )
            elif isinstance(event, Notice):
                notices.append(event.text)
            elif isinstance(event, MessageDone):
                result |= _counts(event)
            elif isinstance(event, ContextUsage):
                result["context"] = {k: v for k, v in to_json(event).items() if k != "type"}
            elif isinstance(event, TurnDone):
                code = exit_code(event)
                result |= {"answer": event.text, "reason": event.reason}
                if event.error is not None:
                    result["error"] = str(event.error)
    if notices:
        result["notices"] = notices
    return {**result, "exit_code": code}


def _about(session: Session) -> dict[str, Any]:
    return {
        "session": session.file.id,
        "provider": session.ref.provider,
        "model": session.ref.model,
        "profile": session.profile.name,
    }


def _counts(event: MessageDone) -> dict[str, Any]:
    counts = to_json(event)
    return {key: counts[key] for key in ("usage", "timings") if counts.get(key)}
