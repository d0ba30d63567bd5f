"""A session as Markdown, and as JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import asdict

from minime_commands.session_export.story import Step, Story, Turn
from minime_shared.cleaning import clean

MAX_RESULT = 20_000
"""Characters of a result that Markdown shows."""


def as_json(story: Story) -> str:
    """Return all of it as one JSON object in ASCII; times are in seconds."""
    return json.dumps(asdict(story), indent=1) + "\n"


def as_markdown(story: Story) -> str:
    """Return the conversation for people, with calls and results as blocks of code."""
    model = f" with {story.model}" if story.model else ""
    parts = [f"# Session {story.id}{model}"]
    for turn in story.turns:
        parts += _turn(turn)
    return "\n\n".join(parts) + "\n"


def _turn(turn: Turn) -> Iterator[str]:
    yield "## " + (" ".join(turn.question.split()) or "(no question)")[:200]
    if len(turn.question.strip().split("\n")) > 1 or len(turn.question) > 200:
        yield _block(turn.question)
    for step in turn.steps:
        yield from _step(step)
    if turn.error:
        yield f"*It failed:* {_block(turn.error)}"


def _step(step: Step) -> Iterator[str]:
    if step.text.strip():
        yield step.text.strip()
    if step.tool:
        arguments = clean(json.dumps(dict(step.arguments), ensure_ascii=False, indent=1))
        yield f"**{step.tool}**\n\n{_block(arguments)}"
    if step.result is not None:
        rest = len(step.result) - MAX_RESULT
        more = f"\n… {rest} more characters" if rest > 0 else ""
        yield _block(step.result[:MAX_RESULT] + more)


def _block(text: str) -> str:
    """Return `text` as a block of code that nothing in it ends."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text.rstrip()}\n{fence}"
