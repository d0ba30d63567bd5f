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

pytest_plugins = ["minime_core.testing.pytest_plugin"]
SCENARIOS = [scenario for scenarios in SECTIONS.values() for scenario in scenarios]


@pytest.fixture(scope="module")
def mm_process() -> Iterator[ForkedMm]:
    mm = ForkedMm()
    yield mm
    mm.close()


@pytest.mark.usefixtures("mm_home")
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.when)
def test_whatever_goes_wrong_the_turn_goes_on_or_ends_with_the_truth(
    scenario: Scenario, tmp_path: Path, mm_process: ForkedMm
) -> None:
    with FaultServer(n_ctx=32_768) as server:
        check(scenario, tmp_path / "project", server, mm_process)
