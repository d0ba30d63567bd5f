"""The tool `plan`: steps with their status, for the user to see."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from minime_core.tools import Arguments, StepStatus, Tool, ToolContext, ToolResult

MAX_STEPS = 50
_MAX_STEP = 200
"""Characters of a step."""
_SIGNS: Mapping[StepStatus, str] = {"pending": "[ ]", "in_progress": "[>]", "done": "[x]"}
_WORDS: Mapping[str, StepStatus] = {
    "in_progress": "in_progress",
    "active": "in_progress",
    "current": "in_progress",
    "doing": "in_progress",
    "started": "in_progress",
    "complete": "done",
    "completed": "done",
    "done": "done",
    "finished": "done",
}
"""How models say it; anything else is pending."""


def plan_tool() -> Tool:
    """Return the tool."""
    return Tool(
        name="plan",
        description=(
            "Show the user your plan. Only for work of three steps or more: call it before you "
            "begin, and again with ALL steps each time one is done. It does nothing by itself."
        ),
        schema={
            "type": "object",
            "properties": {
                "steps": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {
                            "step": {"type": "string"},
                            "status": {"enum": ["pending", "in_progress", "done"]},
                        },
                        "required": ["step", "status"],
                        "additionalProperties": False,
                    },
                }
            },
            "required": ["steps"],
            "additionalProperties": False,
        },
        accepts={"type": "object", "required": ["steps"]},
        run=_run,
        effects=frozenset(),
        kind="think",
        title=lambda arguments: "plan",
        plan=lambda arguments: read_steps(arguments["steps"])[:MAX_STEPS],
    )


async def _run(arguments: Arguments, context: ToolContext) -> ToolResult:
    steps = read_steps(arguments["steps"])
    if not steps:
        text = '[plan: there are no steps. Expected {"steps": [{"step": ..., "status": ...}]}]'
        return ToolResult(text=text, ok=False)
    if len(steps) > MAX_STEPS:
        text = f"[plan: {len(steps)} steps are too many; at most {MAX_STEPS}]"
        return ToolResult(text=text, ok=False)
    context.emit("\n".join(f"{_SIGNS[status]} {step}" for step, status in steps) + "\n")
    done = sum(status == "done" for _, status in steps)
    following = next((step for step, status in steps if status == "in_progress"), None) or next(
        (step for step, status in steps if status == "pending"), None
    )
    what = f"next: {following}" if following else "tell the user what you did"
    return ToolResult(text=f"[plan: shown, {done} of {len(steps)} done; {what}]")


def read_steps(value: Any) -> list[tuple[str, StepStatus]]:
    """Return the steps in whatever shape a model sent them; what is none is left out."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            value = value.splitlines()
    if isinstance(value, Mapping):
        value = [value]
    items = value if isinstance(value, list) else []
    return [step for item in items if (step := _step(item)) is not None]


def _step(item: Any) -> tuple[str, StepStatus] | None:
    """Return one step on one line, None when it has no text."""
    text, status = item, ""
    if isinstance(item, Mapping):
        # Whatever a model calls it, the step is the longest text.
        texts = [v for key, v in item.items() if isinstance(v, str) and key != "status"]
        text = item["step"] if "step" in item else max(texts, key=len, default="")
        status = str(item.get("status", "")).lower().replace(" ", "_").replace("-", "_")
    if not isinstance(text, str):
        return None
    line = " ".join(text.split())[:_MAX_STEP]
    return (line, _WORDS.get(status, "pending")) if line else None
