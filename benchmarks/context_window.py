"""A hundred questions in a small window, beside a history that only grows.

`python benchmarks/context_window.py` prints, for each window, what a server with a prefix cache
reads; the model is simulated, the tools are real and read the standard library. What the harness
itself costs is measured around the simulated server.
"""

from __future__ import annotations

import asyncio
import statistics
import sysconfig
import time
from dataclasses import dataclass
from pathlib import Path

from minime_core import Config, Options, hookimpl, open_session, output_limit
from minime_core.config import Layer
from minime_core.models import ModelRef, ProviderSpec
from minime_core.plugins import PluginHost, discover
from minime_core.records import Rewrite
from minime_core.testing.simulation import FileReader, SimulatedServer, count_tokens

SOURCES = Path(sysconfig.get_path("stdlib"), "asyncio")
QUESTIONS = 100
WINDOWS = (4096, 8192, 16_384)
ENDLESS = 1 << 40


@dataclass(frozen=True, slots=True)
class Run:
    """A session that is over.

    outputs: tokens of all tool outputs.
    seconds: CPU seconds of each turn, without the simulated server.
    """

    server: SimulatedServer
    outputs: int
    summaries: int
    seconds: list[float]


class Offer:
    """A plugin that offers the simulated server."""

    def __init__(self, server: SimulatedServer) -> None:
        self._server = server

    @hookimpl
    def mm_resolve_model(self) -> ModelRef:
        return ModelRef(provider="simulated", model="simulated")

    @hookimpl
    def mm_register_providers(self) -> ProviderSpec:
        return ProviderSpec(name="simulated", summary="", make=lambda config, ref: self._server)


async def simulate(window: int, *plugins: str, served: int = ENDLESS) -> Run:
    """Run a session whose outputs are those for `window`."""
    server = SimulatedServer(FileReader(SOURCES, seed=1), window=served)
    wanted = ("builtin_tools", "prompt", *plugins)
    infos = [info for info in discover() if info.name in wanted]
    host = PluginHost(infos)
    host.load()
    host.register(Offer(server), "offer")
    values = {"policy": "yolo", "max_output": output_limit(window)}
    config = Config([Layer("benchmark", values)], set(wanted))
    options = Options(cwd=SOURCES, flags={}, is_stored=False)
    session = await open_session(options, host, config)
    seconds = []
    for number in range(QUESTIONS):
        start, simulated = time.process_time(), server.seconds
        async with session.run(f"Question {number}?") as events:
            async for _ in events:
                pass
        seconds.append(time.process_time() - start - (server.seconds - simulated))
    records = session.history.records
    summaries = sum(isinstance(r, Rewrite) and r.why == "summary" for r in records)
    outputs = sum(
        count_tokens(message.text)
        for record in records
        if (message := getattr(record, "message", None)) is not None and message.role == "tool"
    )
    await session.aclose()
    return Run(server, outputs, summaries, seconds)


def main() -> None:
    """Print a row for each window."""
    print(
        "window  outputs  refused  longest  summaries  read    without: read  longest  late/early"
    )
    for window in WINDOWS:
        ours = asyncio.run(simulate(window, "context", served=window))
        naive = asyncio.run(simulate(window)).server
        late = statistics.median(ours.seconds[-9:])
        early = statistics.median(ours.seconds[1:10])
        server = ours.server
        print(
            f"{window:>6}  {ours.outputs:>7}  {server.overflows:>7}  {server.longest:>7}  "
            f"{ours.summaries:>9}  {server.prefilled:>6}  {naive.prefilled:>13}  "
            f"{naive.longest:>7}  {late / early:>10.2f}"
        )


if __name__ == "__main__":
    main()
