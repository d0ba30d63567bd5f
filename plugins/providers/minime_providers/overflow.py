"""Requests that are longer than the window, in the words of different servers."""

from __future__ import annotations

import json
import re

from minime_core.errors import ContextOverflow

# llama.cpp, vLLM, SGLang, OpenAI, LM Studio and Ollama name the window right before its size; of
# the other numbers the largest is what was asked for.
_WINDOW = re.compile(
    r"(?:(?:context|model) (?:length|size|window)(?! \(n_keep)|n_ctx)(?:\D{0,30}?(\d{1,9}))?",
    re.IGNORECASE,
)
_TOO_MUCH = re.compile(
    r"exceed|longer|greater|too (?:large|long)|maximum context|overflow|>=", re.IGNORECASE
)


def overflow_in(body: str, message: str) -> ContextOverflow | None:
    """Return the overflow that an error tells of, with the numbers that it gives.

    body: the whole error; message: what it says.
    """
    needed, window = _llamacpp_numbers(body)
    if not window:
        named = _WINDOW.search(message)
        if named is None or not _TOO_MUCH.search(message):
            return None
        window = int(named[1] or 0)
        largest = max(map(int, re.findall(r"\d{1,9}", message)), default=0)
        needed = largest if largest > window else 0
    return ContextOverflow(
        f"the request ({needed or 'unknown'} tokens) is longer than the model's window "
        f"({window or 'unknown'} tokens): start the server with a larger one, or begin anew",
        needed=needed,
        window=window,
    )


def _llamacpp_numbers(body: str) -> tuple[int, int]:
    """Return the two numbers in llama.cpp's own fields, 0 where they are not."""
    try:
        error = json.loads(body)["error"]
        return int(error["n_prompt_tokens"]), int(error["n_ctx"])
    except (ValueError, TypeError, LookupError, RecursionError, OverflowError):
        return 0, 0
