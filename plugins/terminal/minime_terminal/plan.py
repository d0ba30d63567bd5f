"""A plan of the model as lines of text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from minime_core.messages import ToolCall
from minime_core.tools import StepStatus, Tool

STEP_SIGNS: Mapping[StepStatus, str] = {"pending": "[ ]", "in_progress": "[>]", "done": "[x]"}


def steps_of(call: ToolCall, tools: Mapping[str, Tool]) -> Sequence[tuple[str, StepStatus]]:
    """Return the steps of a call that shows a plan; none when it is another or a wrong one."""
    tool = tools.get(call.name)
    if tool is None or call.rejected or tool.faults(call.arguments):
        return ()
    return tool.plan(call.arguments)


def plan_line(step: str, status: StepStatus) -> str:
    """Return one step of a plan with the sign of its status."""
    return f"{STEP_SIGNS[status]} {step}"
