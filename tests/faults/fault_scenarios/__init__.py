"""What may go wrong with a model or its server, and what `mm` does: the suite and the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fault_scenarios import answers, arguments, limits, loops, names, network, text_calls, thinking
from fault_scenarios.scenario import Scenario

SECTIONS: Mapping[str, Sequence[Scenario]] = {
    "Arguments of calls": arguments.SCENARIOS,
    "Names of tools, several calls": names.SCENARIOS,
    "Calls written as text": text_calls.SCENARIOS,
    "No call and no answer": answers.SCENARIOS,
    "Thinking": thinking.SCENARIOS,
    "Loops and runaways": loops.SCENARIOS,
    "Limits and time": limits.SCENARIOS,
    "Network and server": network.SCENARIOS,
}
"""All scenarios, in the order of the page."""
