"""Runs a scenario with the real `mm` as a process, and holds it to what it promises."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from fault_scenarios.scenario import LAST_WORDS, Scenario
from minime_core.history import History, shape_fault
from minime_core.models import ModelRequest
from minime_core.store import read
from minime_core.testing import FaultServer, Mm, Outcome
from minime_core.turn import Turn
from minime_providers.wire import Serialiser
from template_rules import template_faults

GUARDS = {"retry_wait": 0.001, "first_token_timeout": 30, "watchdog_timeout": 30}


def check(scenario: Scenario, mm: Mm) -> None:
    """Run the scenario in the project of `mm`. Raises AssertionError."""
    project, server = mm.cwd, mm.server
    (project / "a.txt").write_text("one line\n")
    server.enqueue(*scenario.replies)
    if scenario.is_down:
        server.stop()
    outcome = _run(scenario, mm)
    check_outcome(scenario, outcome)
    check_requests(scenario, server)
    check_history(project)
    ran = project / "ran"
    assert (ran.read_text() if ran.exists() else "") == scenario.ran, outcome
    assert scenario.unseen == "" or scenario.unseen not in outcome.out


def _run(scenario: Scenario, mm: Mm) -> Outcome:
    config = mm.cwd.parent / "config.json"
    settings = {**scenario.settings, "guards": {**GUARDS, **scenario.guards}}
    config.write_text(json.dumps(settings))
    options = ["--model", scenario.model, "--config", str(config), *scenario.options]
    return mm.run(*options, "-p", "Do it.")


def check_outcome(scenario: Scenario, outcome: Outcome) -> None:
    """Hold exit code, answer and message to what the scenario says."""
    assert outcome.code == scenario.code, outcome
    assert outcome.out == (f"{scenario.out}\n" if scenario.out else ""), outcome
    said = [line for line in outcome.err.splitlines() if line.startswith("mm: ")]
    if scenario.says:
        assert scenario.says in outcome.err, outcome
    elif scenario.end not in LAST_WORDS:
        assert said == [], outcome
    assert LAST_WORDS.get(scenario.end, "") in outcome.err, outcome
    assert "Traceback" not in outcome.err, outcome


def check_requests(scenario: Scenario, server: FaultServer) -> None:
    """Hold number, fields and messages of the requests to what the scenario says."""
    requests = server.chat_requests
    assert len(requests) == scenario.count, [request.json["messages"][-1] for request in requests]
    bodies: list[dict[str, Any]] = [request.json for request in requests]
    for body in bodies:
        assert template_faults(body["messages"]) == []
        assert body["tools"] == bodies[0]["tools"]
        assert scenario.unseen == "" or scenario.unseen not in json.dumps(body["messages"])
    for number, fields in scenario.sent.items():
        assert {name: bodies[number].get(name) for name in fields} == fields
    if scenario.told:
        read = "\n".join(message["content"] for message in bodies[-1]["messages"])
        assert scenario.told in read, read[-2000:]
    for number in scenario.hung_up:
        assert requests[number].wait_ended()
        assert requests[number].closed_by_client
    assert server.pending == 0
    assert server.problems == []


def check_history(project: Path) -> None:
    """Hold the stored session, with another question, to what all templates accept."""
    for path in (project / ".mm/sessions").glob("*.jsonl"):
        history = History(read(path).records)
        history.add_question("And now?")
        assert shape_fault(history.view()) is None
        assert template_faults(wire(history)) == []


def wire(history: History) -> list[dict[str, Any]]:
    """Return the messages that a request for `history` has."""
    turn = Turn(question="", first=0)
    request = ModelRequest(model="m", messages=tuple(history.view()), turn=turn)
    messages: list[dict[str, Any]] = json.loads(Serialiser({}).body(request))["messages"]
    return messages
