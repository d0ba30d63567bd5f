"""What a call did to a file, as the lines of a diff: from what it was asked to write."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from minime_commands.session_export.story import Step
from minime_shared.cleaning import clean

MAX_COMPARED = 4000
"""Lines of both sides above which they are not compared: that takes the square of it."""


def changes(step: Step) -> Iterator[tuple[str, str]]:
    """Yield the sign, one of `+-@ `, and the text of each line that a call changed."""
    arguments = step.arguments
    edits = arguments.get("edits")
    if isinstance(edits, list):
        for edit in edits:
            if isinstance(edit, dict) and isinstance(edit.get("new"), str):
                yield from _compared(str(edit.get("old") or ""), edit["new"])
    elif isinstance(content := arguments.get("content"), str):
        yield from _compared(next(iter(step.before.values()), None) or "", content)


def _compared(old: str, new: str) -> Iterator[tuple[str, str]]:
    before, after = clean(old).splitlines(), clean(new).splitlines()
    if len(before) + len(after) > MAX_COMPARED:
        yield from (("-", line) for line in before)
        yield from (("+", line) for line in after)
        return
    lines = difflib.unified_diff(before, after, lineterm="", n=2)
    for line in list(lines)[2:]:
        yield ("@", line) if line.startswith("@@") else (line[0], line[1:])
