"""The diff of a question: made when the user is asked, and whatever a plugin's code does."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from minime_core.events import FileDiff
from minime_core.permission import Answer, Question
from minime_core.testing import scripted_session, text, tool_call
from minime_core.tools import Tool, ToolContext, ToolResult


class Recorded:
    """A tool that writes, and how often its diff was made.

    error: what making the diff raises.
    """

    def __init__(self, error: BaseException | None = None) -> None:
        self.diffs = 0
        self.runs = 0
        self._error = error
        self.tool = Tool(
            name="change",
            description="Change it.",
            schema={"type": "object", "properties": {}},
            effects=frozenset({"write"}),
            run=self._run,
            diff=self._diff,
        )

    async def _run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        self.runs += 1
        return ToolResult(text="changed")

    def _diff(self, arguments: Mapping[str, Any], context: ToolContext) -> FileDiff | None:
        self.diffs += 1
        if self._error is not None:
            raise self._error
        return FileDiff(path="a", old="1", new="2")


async def asked(recorded: Recorded, policy: str) -> list[Question]:
    """Let the model call the tool, say yes, and return the questions to the user."""
    questions: list[Question] = []

    async def yes(question: Question) -> Answer:
        questions.append(question)
        return Answer(choice="once")

    answers = [tool_call("change", {}), text("Done.")]
    settings = {"policy": policy}
    async with scripted_session(
        answers, tools=[recorded.tool], settings=settings, is_lenient=True
    ) as scripted:
        scripted.session.ask = yes
        async with scripted.session.run("Change it.") as events:
            async for _ in events:
                pass
    return questions


def test_who_is_not_asked_pays_for_no_diff() -> None:
    recorded = Recorded()
    assert asyncio.run(asked(recorded, "yolo")) == []
    assert (recorded.diffs, recorded.runs) == (0, 1)


def test_a_question_has_the_diff() -> None:
    recorded = Recorded()
    (question,) = asyncio.run(asked(recorded, "ask"))
    assert question.diff == FileDiff(path="a", old="1", new="2")
    assert recorded.runs == 1


@pytest.mark.parametrize("error", [ValueError("broken"), SystemExit(3)])
def test_a_diff_that_fails_leaves_the_question(error: BaseException) -> None:
    recorded = Recorded(error)
    (question,) = asyncio.run(asked(recorded, "ask"))
    assert question.diff is None
    assert (recorded.diffs, recorded.runs) == (1, 1)
