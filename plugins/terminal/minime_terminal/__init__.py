"""Frontends for people and scripts: print mode, JSON, and a conversation in the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from minime_core import hookimpl
from minime_core.frontends import FrontendSpec

if TYPE_CHECKING:
    from minime_core.cli.opening import Opener


@hookimpl
def mm_config_model() -> str:
    return "minime_terminal.settings:TerminalSettings"


@hookimpl
def mm_register_frontends() -> Iterator[FrontendSpec]:
    yield FrontendSpec(name="text", summary="the answer as text", run=_text)
    yield FrontendSpec(name="json", summary="the turn as one JSON object", run=_json)
    yield FrontendSpec(name="jsonl", summary="each event as a line of JSON", run=_jsonl)
    yield FrontendSpec(name="terminal", summary="a conversation", run=_terminal)


async def _text(opener: Opener, prompt: str | None) -> int:
    from minime_terminal.printing import print_answer

    return await print_answer(opener, prompt)


async def _json(opener: Opener, prompt: str | None) -> int:
    from minime_terminal.machine import print_result

    return await print_result(opener, prompt)


async def _jsonl(opener: Opener, prompt: str | None) -> int:
    from minime_terminal.machine import print_events

    return await print_events(opener, prompt)


async def _terminal(opener: Opener, prompt: str | None) -> int:
    from minime_terminal.conversation import converse

    return await converse(opener)
