"""JSON inside of other text: where a value ends, and what it says."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

_OUTSIDE = re.compile(r"""["'{}\[\]]""")
INSIDE_QUOTES = re.compile(r'[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
"""The rest of a string, from behind its opening quote."""
_INSIDE = {
    '"': INSIDE_QUOTES,
    "'": re.compile(r"[^'\\]*+(?:\\.[^'\\]*+)*+'", re.DOTALL),
}


def value_end(text: str, at: int) -> int:
    """Return where the object or list that begins at `at` ends, -1 when `text` ends before it.

    It need not be correct: strings may have single quotes, brackets are only counted.
    """
    depth = 0
    while (mark := _OUTSIDE.search(text, at)) is not None:
        at = mark.end()
        if (inside := _INSIDE.get(mark[0])) is not None:
            string = inside.match(text, at)
            if string is None:
                return -1
            at = string.end()
        elif mark[0] in "{[":
            depth += 1
        else:
            depth -= 1
            if depth <= 0:
                return at
    return -1


def decode(text: str) -> object:
    """Return the JSON value in `text`, in which strings may hold line ends. Raises ValueError."""
    try:
        value: object = json.loads(text, strict=False)
    except RecursionError as error:
        raise ValueError("nested too deep") from error
    return value


def dump(value: object) -> str:
    """Return `value` as JSON in one line."""
    return json.dumps(value, ensure_ascii=False)


def cut_object(members: Mapping[str, object], key: str | None = None, value: str = "") -> str:
    """Return a JSON object that was cut behind `members`, or inside the text `value` of `key`."""
    pairs = [f"{dump(name)}: {dump(member)}" for name, member in members.items()]
    if key is not None:
        pairs.append(f"{dump(key)}: {dump(value)[:-1]}")
    return "{" + ", ".join(pairs)
