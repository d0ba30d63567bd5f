"""Every fault of the page `docs/reference/faults.md`, against the real command."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from fault_scenarios import SECTIONS
from fault_scenarios.running import check
from fault_scenarios.scenario import Scenario
from forked_mm import ForkedMm
from minime_core.testing import FaultServer

SCENARIOS = [scenario for scenarios in SECTIONS.values() for scenario in scenarios]
# A quick run has every fourth one.
CHOSEN = [
    pytest.param(scenario, marks=pytest.mark.full if number % 4 else (), id=scenario.when)
    for number, scenario in enumerate(SCENARIOS)
]


@pytest.fixture(scope="module")
def mm_process() -> Iterator[ForkedMm]:
    mm = ForkedMm()
    yield mm
    mm.close()


@pytest.mark.usefixtures("mm_home")
@pytest.mark.parametrize("scenario", CHOSEN)
def test_whatever_goes_wrong_the_turn_goes_on_or_ends_with_the_truth(
    scenario: Scenario, tmp_path: Path, mm_process: ForkedMm
) -> None:
    with FaultServer(n_ctx=32_768) as server:
        check(scenario, tmp_path / "project", server, mm_process)
