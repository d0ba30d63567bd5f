"""What masking makes a server read anew: seeded sessions, real tools, a real source tree."""

from __future__ import annotations

import sysconfig
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from minime_context.conversation import read
from minime_context.masking import oldest_first
from minime_core import hookimpl
from minime_core.bounds import output_limit
from minime_core.events import ModelEvent, ToolDone
from minime_core.middleware import ModelCall, ModelLayer, Phase
from minime_core.models import ModelRequest
from minime_core.records import Rewrite
from minime_core.session import Session
from minime_core.testing.simulation import FileReader, SimulatedServer

SOURCES = Path(sysconfig.get_path("stdlib"), "asyncio")
QUESTIONS = 30
ENDLESS = 1 << 30


@dataclass(frozen=True)
class Simulated:
    """A session that is over, and the characters of all tool outputs in it."""

    server: SimulatedServer
    outputs: int


class EveryTurn:
    """What is compared with: outputs older than three questions are masked with each question."""

    @hookimpl
    def mm_model_middleware(self, session: Session) -> list[ModelLayer]:
        async def wrap(
            request: ModelRequest, call_next: ModelCall
        ) -> AsyncGenerator[ModelEvent, None]:
            if request.messages[-1].role == "user":
                talk = read(session.history)
                old = talk.entries[: talk.first_kept(3)]
                if edits := oldest_first(old, session.tools, ENDLESS).edits:
                    session.history.append(Rewrite(why="every turn", edits=edits))
                    request = replace(request, messages=session.history.view())
            async with aclosing(call_next(request)) as events:
                async for event in events:
                    yield event

        return [ModelLayer(name="every_turn", phase=Phase.CONTEXT, wrap=wrap)]


@pytest.fixture(params=[(4096, 1), (8192, 2), (16_384, 3)], ids=lambda param: str(param[0]))
def window_and_seed(request: pytest.FixtureRequest) -> tuple[int, int]:
    return request.param  # type: ignore[no-any-return]


@pytest.fixture
def simulate(open_chat: Any, window_and_seed: tuple[int, int]) -> Callable[..., Simulated]:
    """Return a function that runs the same session with other plugins, and with another window."""
    window, seed = window_and_seed

    def simulate(*policy: object, served: int = ENDLESS) -> Simulated:
        server = SimulatedServer(FileReader(SOURCES, seed), window=served)
        chat = open_chat(
            server,
            SOURCES,
            plugins=("builtin_tools", "prompt", *policy),
            tools=(),
            max_output=output_limit(window),
        )
        outputs = 0
        for number in range(QUESTIONS):
            assert chat.ask(f"Question {number}?").reason == "answered"
            outputs += sum(len(e.text) for e in chat.events if isinstance(e, ToolDone))
        chat.close()
        return Simulated(server, outputs)

    return simulate


def test_room_is_made_with_much_less_to_read_anew_than_by_masking_every_turn(
    simulate: Callable[..., Simulated], window_and_seed: tuple[int, int]
) -> None:
    window, _ = window_and_seed
    ours = simulate("context", served=window)
    every_turn = simulate(EveryTurn())
    nothing = simulate()
    assert ours.outputs == every_turn.outputs == nothing.outputs
    assert ours.server.overflows == 0
    assert ours.server.longest < window < nothing.server.longest
    assert ours.server.prefilled <= 0.6 * every_turn.server.prefilled
    # No more can be saved than by reading everything once.
    assert nothing.server.prefilled < ours.server.prefilled <= 1.6 * nothing.server.prefilled
