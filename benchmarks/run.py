"""Measure what `mm` costs: `python benchmarks/run.py`.

It measures the `mm` of the environment of the Python that runs it. Limits in seconds are stated for
a machine on which `import httpx`, in an environment that holds httpx alone, takes 120 ms of CPU;
elsewhere the ratio to that counts, which is measured beside the rest in each round. The exit code
is always 0: what a shared machine measures is for people to judge.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import sys
from collections import defaultdict
from dataclasses import asdict, dataclass
from types import ModuleType

import exit_time
import long_session
import memory
import plugins_startup
import prompt_size
import round_trip
import startup
import stream
import traffic
import wasm_calls
import wasm_startup
from client import Client
from figures import Measured, Samples, summarise
from measure import RunFailed
from venvs import import_httpx_seconds

TIMED = (startup, round_trip, stream, exit_time, memory, plugins_startup, wasm_startup, wasm_calls)
COUNTED = (traffic, prompt_size, long_session)
"""Benchmarks that give the same in each round, and are run once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """All that was measured.

    base: CPU seconds of `import httpx`.
    failures: why a benchmark gave nothing, by its name.
    """

    base: float
    figures: list[Measured]
    failures: dict[str, str]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--rounds", type=int, default=7, help="how often to measure")
    options = parser.parse_args()
    try:
        report = measure(max(options.rounds, 1))
    except (RunFailed, OSError) as error:
        print(f"cannot measure: {error}", file=sys.stderr)
        return
    print(as_json(report) if options.json else as_table(report))


def measure(rounds: int) -> Report:
    """Run all benchmarks, interleaved. Raises RunFailed when there is nothing to compare with."""
    bases: list[float] = []
    samples: dict[ModuleType, list[Samples]] = defaultdict(list)
    failures: dict[str, str] = {}
    # One round more, whose times are dropped: it compiles modules and warms caches.
    for number in range(rounds + 1):
        bases.append(import_httpx_seconds())
        for module in TIMED if number else (*TIMED, *COUNTED):
            if module.__name__ in failures:
                continue
            try:
                with Client() as client:
                    samples[module].append(module.sample(client))
            except (RunFailed, OSError) as error:
                failures[module.__name__] = str(error)
    measured = [
        summarise(figure, samples[module][1:], bases[1:])
        if module in TIMED
        else summarise(figure, samples[module], bases[:1])
        for module in (*TIMED, *COUNTED)
        if module.__name__ not in failures
        for figure in module.FIGURES
        if figure.key in samples[module][0]
    ]
    return Report(base=statistics.median(bases[1:]), figures=measured, failures=failures)


def as_json(report: Report) -> str:
    """Return the report as JSON."""
    figures = [
        {
            **asdict(m.figure),
            "value": m.value,
            "ratio": m.ratio,
            "ratio_limit": m.ratio_limit,
            "holds": m.holds,
        }
        for m in report.figures
    ]
    about = {"python": platform.python_version(), "system": platform.platform()}
    return json.dumps(
        {**about, "import_httpx": report.base, "figures": figures, "failures": report.failures},
        indent=1,
    )


def as_table(report: Report) -> str:
    """Return the report as a table; CPU times as they are, and in units of `import httpx`."""
    rows = [("", "measured", "limit", "x httpx", "limit", "")]
    for m in report.figures:
        unit = "" if m.figure.unit in ("each", "ratio", "x") else f" {m.figure.unit}"
        value = "" if m.figure.unit == "x" else f"{_number(m.value)}{unit}"
        limit = "" if m.figure.unit == "x" else _number(m.figure.limit)
        verdict = {True: "", False: "OVER", None: ""}[m.holds]
        ratios = _number(m.ratio), _number(m.ratio_limit)
        rows.append((m.figure.title, value, limit, *ratios, verdict))
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(
            cell.rjust(width) if place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
    lines += [f"{name} failed: {why}" for name, why in report.failures.items()]
    about = f"import httpx: {report.base * 1000:.0f} ms of CPU, Python {platform.python_version()}"
    return "\n".join([about, *(line.rstrip() for line in lines)])


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.0f}" if value >= 1000 else f"{value:.3g}"


if __name__ == "__main__":
    main()
