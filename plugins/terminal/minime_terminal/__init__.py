"""Frontends for people and scripts: print mode, JSON, and a conversation in the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from minime_core import hookimpl
from minime_core.frontends import FrontendSpec
from minime_core.session import Session


@hookimpl
def mm_register_frontends() -> Iterator[FrontendSpec]:
    yield FrontendSpec(name="text", summary="the answer as text", run=_text)
    yield FrontendSpec(name="json", summary="the turn as one JSON object", run=_json)
    yield FrontendSpec(name="jsonl", summary="each event as a line of JSON", run=_jsonl)
    yield FrontendSpec(name="terminal", summary="a conversation", run=_terminal)


async def _text(session: Session, prompt: str | None) -> int:
    from minime_terminal.printing import print_answer

    return await print_answer(session, prompt)


async def _json(session: Session, prompt: str | None) -> int:
    from minime_terminal.machine import print_result

    return await print_result(session, prompt)


async def _jsonl(session: Session, prompt: str | None) -> int:
    from minime_terminal.machine import print_events

    return await print_events(session, prompt)


async def _terminal(session: Session, prompt: str | None) -> int:
    from minime_terminal.interactive import converse

    return await converse(session, prompt)
