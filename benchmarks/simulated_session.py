"""Run a conversation of 100 questions with a simulated model, and print what it cost as JSON.

    python simulated_session.py WINDOW POLICY

The model reads and searches the real files of Python's standard library with the real tools. POLICY
is `context`, for the plugin of that name; `whole`, for a history that only grows, in an endless
window; or `sliding`, where the oldest messages are left out of each request until it fits.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
import sysconfig
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from minime_core import hookimpl
from minime_core.assembly import Options, open_session
from minime_core.bounds import output_limit
from minime_core.config import Config, Layer
from minime_core.events import ModelEvent, ToolDone
from minime_core.messages import Message
from minime_core.middleware import ModelCall, ModelLayer, Phase
from minime_core.models import ModelRef, ModelRequest, ProviderSpec
from minime_core.plugins import PluginHost, PluginInfo
from minime_core.records import Rewrite
from minime_core.session import Session
from minime_core.testing.simulation import FileReader, SimulatedServer, count_tokens

QUESTIONS = 100
CALLS = (3, 6)
"""Fewest and most calls for a question."""
ENDLESS = 1 << 30
ENVELOPE = 20
"""Tokens that a message takes besides its text."""
SOURCES = Path(sysconfig.get_path("stdlib"), "asyncio")
PLUGINS = ("builtin_tools", "guards", "prompt", "skills", "tool_formats")
SPAN = 5
"""Questions over which the CPU time of one is taken, at the beginning and at the end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What a conversation cost.

    outputs: tokens of all tool outputs.
    prefilled, cached: tokens that the server read, and that it had read before.
    longest: tokens of the longest request.
    overflows: requests that were longer than the window.
    cpu_growth: CPU time a request at the end, over that at the beginning.
    """

    outputs: int
    prefilled: int
    cached: int
    longest: int
    overflows: int
    summaries: int
    maskings: int
    cpu_growth: float


class Simulation:
    """The plugin with the server."""

    def __init__(self, server: SimulatedServer) -> None:
        self._server = server

    @hookimpl
    def mm_register_providers(self) -> list[ProviderSpec]:
        return [ProviderSpec(name="sim", summary="", make=lambda config, ref: self._server)]

    @hookimpl
    def mm_resolve_model(self, config: Config) -> ModelRef:
        return ModelRef(provider="sim", model="simulated")


class Sliding:
    """The plugin that leaves out the oldest messages."""

    def __init__(self, window: int) -> None:
        self._window = window

    @hookimpl
    def mm_model_middleware(self, session: Session) -> list[ModelLayer]:
        return [ModelLayer(name="sliding", phase=Phase.CONTEXT, wrap=self._wrap)]

    async def _wrap(
        self, request: ModelRequest, call_next: ModelCall
    ) -> AsyncGenerator[ModelEvent, None]:
        kept = self._kept(request.messages, sum(count_tokens(str(t.schema)) for t in request.tools))
        async with aclosing(call_next(replace(request, messages=kept))) as events:
            async for event in events:
                yield event

    def _kept(self, messages: Sequence[Message], fixed: int) -> Sequence[Message]:
        sizes = [count_tokens(message.text) + ENVELOPE for message in messages]
        room = self._window * 0.9 - fixed - sizes[0]
        last = max(n for n, message in enumerate(messages) if message.role == "user")
        begins = [n for n, message in enumerate(messages) if message.role == "user"]
        # Of the present question, the oldest calls with their results.
        begins += [n for n in range(last + 1, len(messages)) if messages[n].calls]
        first = next((n for n in begins if sum(sizes[n:]) <= room), begins[-1])
        question = (messages[last],) if first > last else ()
        return (messages[0], *question, *messages[first:])


async def converse(window: int, policy: str) -> Cost:
    """Ask all questions."""
    served = ENDLESS if policy == "whole" else window
    server = SimulatedServer(FileReader(SOURCES, 4, CALLS), window=served)
    names = (*PLUGINS, "context") if policy == "context" else PLUGINS
    host = PluginHost([PluginInfo(name=n, module=f"minime_{n}") for n in names], warn=print)
    host.load()
    host.register(Simulation(server), "simulation")
    if policy == "sliding":
        host.register(Sliding(window), "sliding")
    settings = {"policy": "yolo", "max_turns": 20, "max_output": output_limit(window)}
    config = Config([Layer("benchmark", settings)], set(names))
    session = await open_session(Options(cwd=SOURCES, flags={}), host, config)
    outputs, seconds = 0, []
    for number in range(QUESTIONS):
        count, start = len(server.requests), time.process_time() - server.seconds
        async with session.run(f"Question {number}?") as events:
            async for event in events:
                if isinstance(event, ToolDone):
                    outputs += count_tokens(event.text)
        spent = time.process_time() - server.seconds - start
        seconds.append(spent / (len(server.requests) - count))
    why = [r.why for r in session.history.records if isinstance(r, Rewrite)]
    await session.aclose()
    late, early = statistics.median(seconds[-SPAN:]), statistics.median(seconds[1 : SPAN + 1])
    return Cost(
        outputs=outputs,
        prefilled=server.prefilled,
        cached=server.cached,
        longest=server.longest,
        overflows=server.overflows,
        summaries=why.count("summary"),
        maskings=why.count("masked outputs"),
        cpu_growth=late / early,
    )


if __name__ == "__main__":
    print(json.dumps(asdict(asyncio.run(converse(int(sys.argv[1]), sys.argv[2])))))
