"""Write `docs/reference/faults.md` from the scenarios: `python tests/faults/fault_page.py`."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

from scenario import EXIT_CODES, Scenario
from scenarios import SCENARIOS

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "faults.md"
HEAD = """# Faults, and what comes of them

What models and servers get wrong, and how a turn ends all the same. Each row is a scenario of
`tests/faults`, which runs it with the real command line against a server over HTTP. In each of them
every request has a history that all known chat templates accept, and no tool runs twice for one
call. The guards that do this are in [Guards](../explanation/guards.md).
"""


def page() -> str:
    """Return the whole page."""
    parts = [HEAD]
    for group, scenarios in groupby(SCENARIOS, lambda scenario: scenario.group):
        parts.append(f"\n## {group}\n\n| fault | outcome | requests | exit |\n|---|---|---|---|\n")
        parts += [_row(scenario) for scenario in scenarios]
    return "".join(parts)


def _row(scenario: Scenario) -> str:
    fault = scenario.fault.replace("|", "\\|")
    code = EXIT_CODES[scenario.reason]
    return f"| {fault} | {scenario.outcome} | {len(scenario.replies)} | {code} |\n"


if __name__ == "__main__":
    PAGE.write_text(page())
