"""Keep what a tool returns within what the model's window can bear."""

from __future__ import annotations


def bound(text: str, limit: int, hint: str = "") -> str:
    """Return `text` cut to about `limit` characters: its beginning and its end, which often says most.

    hint: how to see the rest, as a clause such as `read it with start and end`.
    """
    if len(text) <= limit:
        return text
    half = limit // 2
    # Cut at line ends where one is near, so that no line is shown by half.
    head = text[: max(text.rfind("\n", half - half // 8, half), half - 1) + 1]
    tail_from = len(text) - half
    line_start = text.find("\n", tail_from, tail_from + half // 8)
    tail = text[line_start + 1 if line_start >= 0 else tail_from :]
    left_out = len(text) - len(head) - len(tail)
    lines = text.count("\n", len(head), len(text) - len(tail))
    how = f"; {hint}" if hint else ""
    return f"{head}\n[... {left_out} characters, {lines} lines left out{how} ...]\n{tail}"
