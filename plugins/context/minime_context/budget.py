"""How the window is divided."""

from __future__ import annotations

from dataclasses import dataclass

SETTLED = 0.7
"""How full the room above the fixed prompt may be, of what starts a rewrite, after it."""
LOW = 0.4
"""What masking aims at. The lower, the longer until the next rewrite, which is read anew by the
server; the higher, the less the model forgets."""
SUMMARY_SHARE = 8
"""A summary takes at most this part of the window: an eighth."""
ANSWER_SHARE, LEAST_ANSWER = 16, 256
"""What is kept free for an answer: a part of the window, in tokens no less than the second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Numbers of tokens.

    fixed: system prompt and tools, which nothing can shorten.
    trigger: a request that is longer starts a rewrite.
    settled: one that is longer after masking old outputs needs more than that.
    low: what masking aims at.
    limit: the longest request that is sent.
    summary: the longest summary.
    """

    window: int
    fixed: int
    trigger: int
    settled: int
    low: int
    limit: int
    summary: int


def divide(window: int, fixed: int, *, threshold: int, summary: int) -> Budget:
    """Divide a window.

    threshold: percent of it at which room is made; more where the fixed prompt takes most of it.
    summary: most tokens of a summary in a large window.
    """
    limit = window - max(window // ANSWER_SHARE, min(LEAST_ANSWER, window // 4))
    room = max(limit - fixed, 0)
    trigger = min(max(window * threshold // 100, fixed + room // 2), limit)
    usable = max(trigger - fixed, 0)
    return Budget(
        window=window,
        fixed=fixed,
        trigger=trigger,
        settled=fixed + int(usable * SETTLED),
        low=fixed + int(usable * LOW),
        limit=limit,
        summary=min(summary, window // SUMMARY_SHARE),
    )
