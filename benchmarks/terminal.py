"""Measure the terminal: `python benchmarks/terminal.py`.

It drives the `mm` of the environment of the Python that runs it on a pseudo-terminal, with a screen
behind it, against a server of this process. Times are of CPU but for the echo and the search for
servers, which are of the clock. The exit code is always 0: what a shared machine measures is for
people to judge.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "tests" / "support"))

from measure import cpu_seconds
from minime_core.testing.fault_server import FaultServer
from minime_core.testing.gate import Gate
from minime_core.testing.replies import hold, text
from pty_mm import PtyMm

PIECES = (
    "## A heading\n\n",
    "Some words of a paragraph with **bold** ones, `code` and a [link](https://example.org). " * 3,
    "\n\n",
    "- a point of a list\n- another point of it\n\n",
    "```python\ndef add(a, b):\n    return a + b\n```\n\n",
    "| one | two |\n|---|---|\n| 1 | 2 |\n\n",
)
"""A round of Markdown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One measured number; `limit` is None where there is none."""

    name: str
    value: float
    unit: str
    limit: float | None = None


@contextmanager
def terminal(server: FaultServer, folder: Path) -> Iterator[PtyMm]:
    """Run `mm` in `folder`, whose parent is its home."""
    options = ["--base-url", server.base_url, "--provider", "llamacpp", "--model", "m"]
    home = {"HOME": str(folder.parent), "XDG_STATE_HOME": None, "XDG_CONFIG_HOME": None}
    with PtyMm(options, cwd=folder, env=home) as program:
        program.see_prompt()
        yield program


def pieces(count: int) -> list[str]:
    """Return an answer in `count` pieces of a few characters."""
    rounds = "".join(PIECES)
    width = 4
    whole = rounds * (count * width // len(rounds) + 1)
    return [whole[n * width : (n + 1) * width] for n in range(count)]


def streaming(folder: Path, count: int, pause: float, idle: float) -> Iterator[Figure]:
    """Measure an answer that comes slowly, and what is used when all is over."""
    gates = [Gate() for _ in range(count)]
    reply = text("Here it is. ", chunks=1)
    for piece, gate in zip(pieces(count), gates, strict=True):
        reply = reply + hold(gate) + text(piece, chunks=1)

    def pace() -> None:
        for gate in gates:
            gate.wait_reached(60)
            time.sleep(pause)
            gate.open()

    with FaultServer(n_ctx=200_000) as server, terminal(server, folder) as program:
        server.enqueue(reply + text("\n\nThe end of it."))
        threading.Thread(target=pace, daemon=True).start()
        before = cpu_seconds(program.pid)
        program.ask("Tell me.")
        program.see("The end of it.")
        program.see_prompt()
        used = cpu_seconds(program.pid) - before
        name = f"an answer in {count:,} pieces, {pause * 1000:g} ms apart"
        yield Figure(name=name, value=used, unit="s of CPU", limit=1.5)
        time.sleep(1)
        before = cpu_seconds(program.pid)
        time.sleep(idle)
        share = (cpu_seconds(program.pid) - before) / idle * 100
        yield Figure(name="after the answer", value=share, unit="% of CPU", limit=0.1)


def echo(folder: Path, keys: int) -> Iterator[Figure]:
    """Measure how long a key takes to be seen, with a history of a megabyte."""
    history = folder.parent / ".local/state/mini-me/history.jsonl"
    history.parent.mkdir(parents=True, exist_ok=True)
    history.write_text(
        "".join(json.dumps(f"question {n} " + "x" * 80) + "\n" for n in range(10_500))
    )
    took: list[float] = []
    with FaultServer() as server, terminal(server, folder) as program:
        for number in range(keys):
            start = time.perf_counter()
            program.type("abcdefghij"[number % 10])
            program.see("> " + "".join("abcdefghij"[n % 10] for n in range(number + 1)))
            took.append((time.perf_counter() - start) * 1000)
    history.unlink()
    took = took[1:]  # The first one reads the history.
    name = "a key until it is seen, 1 MB of history"
    yield Figure(name=name, value=statistics.median(took), unit="ms", limit=30)
    worst = sorted(took)[int(len(took) * 0.95)]
    yield Figure(name="the same, 95 of 100 keys", value=worst, unit="ms", limit=30)


def completion(folder: Path, count: int) -> Iterator[Figure]:
    """Measure how long names of files take to be offered where there are many."""
    for number in range(count):
        if number % 1000 == 0:
            part = folder / f"part{number // 1000}"
            part.mkdir()
        (part / f"file{number}.txt").touch()
    with FaultServer() as server, terminal(server, folder) as program:
        start = time.perf_counter()
        program.type(f"@file{count - 1}")
        program.see(f"/file{count - 1}.txt")
        took = time.perf_counter() - start
    yield Figure(name=f"@ finds one of {count:,} files", value=took, unit="s")


def probing() -> Iterator[Figure]:
    """Measure the search for servers where none runs."""
    from minime_providers.presets import PRESETS
    from minime_providers.probing import running_servers

    start = time.perf_counter()
    found = list(running_servers(PRESETS.values()))
    took = (time.perf_counter() - start) * 1000
    name = f"the search for servers, {len(found)} found"
    yield Figure(name=name, value=took, unit="ms", limit=40)


def measure(options: argparse.Namespace) -> Iterator[Figure]:
    """Yield all figures."""
    with _folder() as folder:
        yield from streaming(folder, options.pieces, options.pause / 1000, options.idle)
    with _folder() as folder:
        yield from echo(folder, options.keys)
    with _folder() as folder:
        yield from completion(folder, options.files)
    yield from probing()


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="mm-") as home:
        folder = Path(home, "work")
        (folder / ".mm").mkdir(parents=True)
        yield folder


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--pieces", type=int, default=10_000, help="of the answer")
    parser.add_argument("--pause", type=float, default=1.0, help="milliseconds between two")
    parser.add_argument("--idle", type=float, default=30.0, help="seconds to look at an idle one")
    parser.add_argument("--keys", type=int, default=60, help="keys to press")
    parser.add_argument("--files", type=int, default=100_000, help="files to find one of")
    options = parser.parse_args(arguments)
    figures = []
    for figure in measure(options):
        figures.append(figure)
        if not options.json:
            limit = "" if figure.limit is None else f"   (limit {figure.limit:g})"
            print(f"{figure.name:45} {figure.value:8.3f} {figure.unit}{limit}", flush=True)
    if options.json:
        print(json.dumps([asdict(figure) for figure in figures], indent=1))


if __name__ == "__main__":
    os.environ.pop("NO_COLOR", None)
    main()
