"""Every fault of the page `docs/reference/faults.md`, against the real command."""

from __future__ import annotations

from pathlib import Path

import pytest

from fault_scenarios import SECTIONS
from fault_scenarios.running import check
from fault_scenarios.scenario import Scenario
from forked_mm import ForkedMm, MmParent
from minime_core.testing import FaultServer

SCENARIOS = [scenario for scenarios in SECTIONS.values() for scenario in scenarios]
# A quick run has every fourth one.
CHOSEN = [
    pytest.param(scenario, marks=pytest.mark.full if number % 4 else (), id=scenario.when)
    for number, scenario in enumerate(SCENARIOS)
]


@pytest.mark.usefixtures("mm_home")
@pytest.mark.parametrize("scenario", CHOSEN)
def test_whatever_goes_wrong_the_turn_goes_on_or_ends_with_the_truth(
    scenario: Scenario, tmp_path: Path, mm_parent: MmParent
) -> None:
    project = tmp_path / "project"
    (project / ".mm").mkdir(parents=True)
    with FaultServer(n_ctx=32_768) as server:
        check(scenario, ForkedMm(project, server, None, mm_parent))
