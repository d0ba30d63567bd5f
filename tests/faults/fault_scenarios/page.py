"""Writes the reference page of faults from the scenarios: `make docs`."""

from __future__ import annotations

from pathlib import Path

from fault_scenarios import SECTIONS
from fault_scenarios.scenario import LAST_WORDS, Scenario

PAGE = Path(__file__).parents[3] / "docs/reference/faults.md"
HEAD = """\
# Faults, and what `mm` does about them

Each row is a test: `mm -p` as a process, with a server that does what the first column says. The
test holds what is shown, the number of requests, the exit code, the message, and that every
request and the stored session have the shape that all chat templates take. Exit codes are 0 for an
answer, 1 for a turn without one, 3 for a server that failed. What each guard does, and how to
switch it off, is in [Guards](../explanation/guards.md).

This page is written by `make docs`. To change it, change `tests/faults/fault_scenarios`.
"""
COLUMNS = ("what goes wrong", "what `mm` does", "requests", "end", "exit", "what is said")


def page() -> str:
    """Return the page."""
    parts = [HEAD]
    for title, scenarios in SECTIONS.items():
        rows = [_row(*COLUMNS), _row(*["---"] * len(COLUMNS)), *map(_scenario, scenarios)]
        parts.append(f"## {title}\n\n" + "\n".join(rows) + "\n")
    return "\n".join(parts)


def _scenario(scenario: Scenario) -> str:
    said = (scenario.says or LAST_WORDS.get(scenario.end, "")).removeprefix("mm: ").strip()
    return _row(
        scenario.when,
        scenario.then,
        str(scenario.count),
        scenario.end,
        str(scenario.code),
        said.replace("|", "\\|"),
    )


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    PAGE.write_text(page())
