"""The edits of a call, in the shapes in which weak models send them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

_OLD = ("old", "old_string", "old_str", "old_text", "oldText", "oldString", "search", "find")
_NEW = ("new", "new_string", "new_str", "new_text", "newText", "newString", "replace")
"""What the two texts are called in tools that models were trained with."""
_MAX_NESTING = 3
"""How often a list or text may be wrapped into another one."""

EXPECTED = 'Expected {"path": ..., "edits": [{"old": ..., "new": ...}]}'


class WrongEdits(Exception):
    """The arguments hold no edits; the message says why, for the model."""


def read_edits(arguments: Mapping[str, Any]) -> tuple[list[tuple[str, str]], str]:
    """Return the edits as `(old, new)`, and how their shape was wrong, "" when it was right.

    Raises WrongEdits.
    """
    if "edits" in arguments:
        value, note = _unwrapped(arguments["edits"])
    elif any(name in arguments for name in _OLD):
        value, note = [arguments], "`old` and `new` belong into the list `edits`"
    else:
        raise WrongEdits(f"there are no `edits`. {EXPECTED}")
    edits = []
    for number, item in enumerate(value, 1):
        if not isinstance(item, Mapping):
            raise WrongEdits(f"edit {number} is not an object. {EXPECTED}")
        old, new = _text(item, _OLD), _text(item, _NEW)
        if old is None or new is None:
            lacking = "old" if old is None else "new"
            raise WrongEdits(f"edit {number} has no text `{lacking}`. {EXPECTED}")
        edits.append((old, new))
        if "old" not in item or "new" not in item:
            note = note or "the texts of an edit are called `old` and `new`"
    return edits, note


def _unwrapped(value: Any) -> tuple[list[Any], str]:
    """Return the list of edits, and what it came as."""
    note = ""
    for _ in range(_MAX_NESTING):
        if isinstance(value, str):
            value = _parsed(value)
            note = "`edits` came as text; send a list"
        elif isinstance(value, Mapping):
            return [value], note or "`edits` came as one object; send a list"
        elif isinstance(value, list) and len(value) == 1 and isinstance(value[0], (list, str)):
            value = value[0]
            note = "`edits` came wrapped; send a list of objects"
        elif isinstance(value, list):
            return value, note
        else:
            break
    raise WrongEdits(f"`edits` is not a list. {EXPECTED}")


def _parsed(text: str) -> Any:
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError) as error:
        raise WrongEdits(f"`edits` is text that is not JSON. {EXPECTED}") from error


def _text(item: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    """Return the text under the first of `names` that there is, None when it is not a text."""
    value = next((item[name] for name in names if name in item), None)
    return value if isinstance(value, str) else None
