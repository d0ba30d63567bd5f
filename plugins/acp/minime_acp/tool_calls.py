"""Calls of tools as the client shows them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from acp.schema import (
    ContentToolCallContent,
    FileEditToolCallContent,
    TextContentBlock,
    ToolCallLocation,
    ToolCallProgress,
    ToolCallStart,
)

from minime_core.bounds import bound
from minime_core.events import FileDiff, ToolStarted
from minime_core.messages import clean_text

MAX_TITLE = 200
"""Characters of a title."""
MAX_CONTENT = 32 << 10
"""Characters of output that are shown."""
MAX_DIFF = 256 << 10
"""Characters of both texts of a diff; editors choke on larger ones."""

Content = ContentToolCallContent | FileEditToolCallContent


def started(event: ToolStarted, cwd: Path, *, is_running: bool) -> ToolCallStart:
    """Return the first that the client hears of a call."""
    kind: Any = event.kind
    return ToolCallStart(
        session_update="tool_call",
        tool_call_id=event.call.id,
        title=one_line(event.title),
        kind=kind,
        status="in_progress" if is_running else "pending",
        raw_input=dict(event.call.arguments),
        locations=locations(event.locations, cwd) or None,
    )


def running(call_id: str, output: str = "") -> ToolCallProgress:
    """Return that a call runs now, with its output so far."""
    return ToolCallProgress(
        session_update="tool_call_update",
        tool_call_id=call_id,
        status="in_progress",
        content=[text_content(output)] if output else None,
    )


def finished(
    call_id: str, text: str, *, ok: bool, diffs: Sequence[FileDiff] = (), cwd: Path
) -> ToolCallProgress:
    """Return how a call ended. `text` is what the model read."""
    shown = clean_text(text)
    content: list[Any] = diff_contents(diffs, cwd)
    return ToolCallProgress(
        session_update="tool_call_update",
        tool_call_id=call_id,
        status="completed" if ok else "failed",
        content=content or [text_content(shown)],
        raw_output={"output": shown},
    )


def text_content(text: str) -> ContentToolCallContent:
    block = TextContentBlock(type="text", text=bound(clean_text(text), MAX_CONTENT))
    return ContentToolCallContent(type="content", content=block)


def diff_contents(diffs: Iterable[FileDiff], cwd: Path) -> list[Any]:
    """Return the diffs; in place of a large one, words that say so."""
    found: list[Content] = []
    for diff in diffs:
        size = len(diff.old or "") + len(diff.new or "")
        if size > MAX_DIFF:
            text = f"{diff.path}: changed; {size} characters are too many to show the difference"
            found.append(text_content(text))
            continue
        found.append(
            FileEditToolCallContent(
                type="diff",
                path=_absolute(diff.path, cwd),
                old_text=None if diff.old is None else clean_text(diff.old),
                new_text=clean_text(diff.new or ""),
            )
        )
    return found


def locations(paths: Iterable[str], cwd: Path) -> list[ToolCallLocation]:
    return [ToolCallLocation(path=_absolute(path, cwd)) for path in paths]


def one_line(text: str) -> str:
    """Return `text` as a title."""
    line = " ".join(clean_text(text).split())
    return line if len(line) <= MAX_TITLE else f"{line[: MAX_TITLE - 3]}..."


def _absolute(path: str, cwd: Path) -> str:
    joined = os.path.normpath(cwd / os.path.expanduser(path))
    # A name that is no text cannot be sent as such.
    return clean_text(joined)
