"""Each scenario through the real command line, and the page that lists them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from fault_page import PAGE, page
from minime_core.testing import FaultServer, Mm
from scenario import EXIT_CODES, Scenario
from scenarios import SCENARIOS
from templates import template_fault

# Each is a process: CI runs them all, a quick run every third.
CHOSEN = SCENARIOS if os.environ.get("MM_FULL_CORPUS") else SCENARIOS[::3]


@pytest.mark.parametrize("scenario", CHOSEN, ids=lambda scenario: scenario.name)
def test_the_turn_ends_with_the_truth(scenario: Scenario, mm_home: Path, tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    config = tmp_path / "config.json"
    guards = {"retry_wait": 0.001, **scenario.guards}
    config.write_text(json.dumps({"guards": guards, **scenario.settings}))
    with FaultServer(n_ctx=100_000) as server:
        server.enqueue(*scenario.replies)
        options = ("--config", str(config), "--yolo", "--output", "json", *scenario.options)
        done = Mm(project, server).run(*options, "-p", "Do it.")
        requests = [request.json for request in server.chat_requests]
        # A crash takes the server with it.
        assert server.pending == 0
    result = json.loads(done.out)
    assert result["reason"] == scenario.reason, (result, done.err)
    assert done.code == EXIT_CODES[scenario.reason]
    if scenario.answer is not None:
        assert result["answer"] == scenario.answer
    log = project / "log"
    assert tuple(log.read_text().split() if log.exists() else ()) == scenario.ran
    assert len(requests) == len(scenario.replies)
    assert [fault for request in requests if (fault := template_fault(request["messages"]))] == []
    told = json.dumps(requests[-1]["messages"], ensure_ascii=False)
    assert [words for words in scenario.told if words not in told] == []
    said = "\n".join([*result.get("notices", []), result.get("error", "")])
    assert [words for words in scenario.said if words not in said] == []
    for words in scenario.never:
        assert words not in result["answer"] + told


def test_the_page_lists_all_scenarios() -> None:
    assert PAGE.read_text() == page(), "run `python tests/faults/fault_page.py`"
