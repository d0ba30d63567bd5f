"""Keep what a tool returns within what the model's window can bear."""

from __future__ import annotations

LEAST_OUTPUT, MOST_OUTPUT = 2_000, 16_000
"""Characters of a tool's output, in the smallest and in the largest window."""
GAP = 80
"""Characters that are set aside for the line that says what is left out, besides its hint."""


def output_limit(window: int) -> int:
    """Return the most characters of a tool's output for a window of so many tokens.

    It is 15 % of the window, at 3.5 characters a token.
    """
    return min(max(int(window * 0.15 * 3.5), LEAST_OUTPUT), MOST_OUTPUT)


def bound(text: str, limit: int, hint: str = "") -> str:
    """Return `text` in at most `limit` characters: its beginning and its end, which says most.

    limit: when it is smaller than `GAP` and the hint, nothing but the line that replaces the text
        is returned.
    hint: how to see the rest, as a clause such as `read it with start and end`.
    """
    if len(text) <= limit:
        return text
    half = max(limit - GAP - len(hint), 0) // 2
    # Cut at line ends where one is near, so that no line is shown by half.
    head_end = text.rfind("\n", half - half // 8, half) + 1 or half
    tail_start = len(text) - half
    tail_start = text.find("\n", tail_start - 1, tail_start + half // 8) + 1 or tail_start
    lines = text.count("\n", head_end, tail_start)
    how = f"; {hint}" if hint else ""
    gap = f"[... {tail_start - head_end} characters, {lines} lines left out{how} ...]"
    return "\n".join(
        part for part in (text[:head_end].removesuffix("\n"), gap, text[tail_start:]) if part
    )
