"""The tags around thinking that servers leave in an answer's text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

OPENERS = {
    "<think>": "</think>",
    "<thinking>": "</thinking>",
    "<thought>": "</thought>",
    "[THINK]": "[/THINK]",
}
"""Tags that open thinking at the beginning of an answer, and what closes it."""
TEXT_OPENERS = tuple(opener for opener in OPENERS if opener[0] == "<")
CLOSERS = tuple(OPENERS[opener] for opener in TEXT_OPENERS)
"""Those that stand alone where the chat template has written the opening tag."""

# Gemma 4, "Prompt formatting": ai.google.dev/gemma/docs/core/prompt-formatting-gemma4
GEMMA_OPENER, GEMMA_CLOSER = "<|channel>thought", "<channel|>"

# gpt-oss, "OpenAI harmony response format": cookbook.openai.com/articles/openai-harmony
HARMONY_OPENER = "<|channel|>analysis<|message|>"
HARMONY_ENDS = ("<|end|>", "<|return|>", "<|start|>", "<|channel|>")
"""What ends harmony's thinking; it belongs to what follows."""
HARMONY_MARKS = (
    "<|channel|>final<|message|>",
    "<|channel|>commentary<|message|>",
    "<|start|>assistant",
    "<|end|>",
    "<|return|>",
)
"""What stands between the parts of a harmony answer. A call in `commentary` is none of them."""

IN_TEXT = (*TEXT_OPENERS, *CLOSERS, GEMMA_OPENER, GEMMA_CLOSER, HARMONY_OPENER, *HARMONY_MARKS)
"""What is looked for behind the beginning of an answer; each begins with `<`."""


@cache
def any_of(tags: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern that finds the first of `tags`."""
    return re.compile("|".join(map(re.escape, tags)))


def begins(text: str, tags: Iterable[str]) -> bool:
    """Return whether `text` is the beginning of one of `tags`."""
    return any(tag.startswith(text) for tag in tags)


def half_tag(text: str, tags: tuple[str, ...]) -> int:
    """Return how many characters at the end of `text` may be the beginning of one of `tags`.

    tags: begin with the same character.
    """
    at = text.find(tags[0][0], max(len(text) - max(map(len, tags)) + 1, 0))
    while at >= 0 and not begins(text[at:], tags):
        at = text.find(tags[0][0], at + 1)
    return len(text) - at if at >= 0 else 0
