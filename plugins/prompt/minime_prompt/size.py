"""How large a model is, by its name."""

from __future__ import annotations

import math
import re

from minime_prompt.settings import Size

SMALL, MEDIUM = 5.0, 15.0
"""Billions of parameters below which a model is small, or medium."""

# `8b`, `0.6B`, `135m`, `8x7b`; `e2b` is what Gemma calls two billion effective parameters. Not the
# `4` of `Q4_K_M`, nor the `3.5` of a version.
_TOTAL = re.compile(r"(?<![a-z0-9.])(?:(\d+)x)?e?(\d+(?:\.\d+)?)([bm])(?![a-z0-9])")
_ACTIVE = re.compile(r"(?<![a-z0-9.])a(\d+(?:\.\d+)?)b(?![a-z0-9])")


def billions(model: str) -> float | None:
    """Return how many billions of parameters the name says, None when it does not.

    A mixture of experts, such as `30b-a3b`, counts as the geometric mean of all its parameters and
    those that work on a token: it knows more than its active part and reasons less than its whole.
    """
    # A size in the file's name is nearer to the truth than one in a folder's.
    for name in reversed(re.split(r"[/\\]", model.lower())):
        if (total := _TOTAL.search(name.replace("_", "-"))) is not None:
            experts, number, unit = total.groups()
            size = float(number) * int(experts or 1) / (1000 if unit == "m" else 1)
            active = _ACTIVE.search(name.replace("_", "-"))
            return math.sqrt(size * float(active[1])) if active else size
    return None


def size_class(model: str) -> Size:
    """Return the class of a model; one whose name does not tell is medium."""
    size = billions(model)
    if size is None:
        return "medium"
    return "small" if size < SMALL else "medium" if size < MEDIUM else "large"
