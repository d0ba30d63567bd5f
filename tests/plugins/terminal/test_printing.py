"""What a person reads of one question in plain text."""

from __future__ import annotations

import io

import pytest

from minime_core.events import Event, ToolDone, ToolStarted
from minime_core.messages import ToolCall
from minime_core.tools import Arguments, Tool, ToolContext, ToolResult
from minime_terminal.printing import Printer


async def _run(arguments: Arguments, context: ToolContext) -> ToolResult:
    return ToolResult(text="")


PLAN = Tool(
    name="plan",
    description="",
    schema={"type": "object", "required": ["steps"]},
    run=_run,
    effects=frozenset(),
    plan=lambda arguments: [(step, "pending") for step in arguments["steps"]],
)


def printed(*events: Event, preview_lines: int = 2) -> list[str]:
    """Return the lines that are printed beside the answer."""
    out, err = io.StringIO(), io.StringIO()
    printer = Printer({"plan": PLAN}, preview_lines=preview_lines, out=out, err=err)
    for event in events:
        printer.show(event)
    assert out.getvalue() == ""
    return err.getvalue().splitlines()


def started(name: str, **arguments: object) -> ToolStarted:
    call = ToolCall(id="1", name=name, arguments=arguments)
    return ToolStarted(call=call, title=name, kind="think")


def done(text: str, *, ok: bool = True) -> ToolDone:
    return ToolDone(call_id="1", name="x", text=text, ok=ok, seconds=0.0)


def test_a_plan_is_printed_as_its_steps() -> None:
    lines = printed(started("plan", steps=["look", "mend\x1b[2J"]), done("[plan: shown]"))
    assert lines == ["● plan", "  [ ] look", "  [ ] mend␛[2J"]


def test_a_wrong_plan_is_printed_as_any_call() -> None:
    lines = printed(started("plan"), done("[plan: wrong]", ok=False))
    assert lines == ["● plan", "  [plan: wrong]"]


@pytest.mark.parametrize(
    ("count", "lines"),
    [(0, []), (1, ["  one", "  … 2 more lines"]), (3, ["  one", "  two", "  three"])],
)
def test_of_the_output_as_many_lines_are_printed_as_are_wanted(
    count: int, lines: list[str]
) -> None:
    shown = printed(started("bash"), done("one\ntwo\nthree\n"), preview_lines=count)
    assert shown == ["● bash", *lines]
