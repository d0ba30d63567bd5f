"""Calls as JSON objects: `{"name": ..., "arguments": {...}}`, under the names that models use."""

from __future__ import annotations

import re
from collections.abc import Mapping

from minime_core.messages import ToolCall
from minime_tool_formats.cursor import Cursor, Ended, Mismatch
from minime_tool_formats.json_text import decode, value_end

NAMES = ("name", "tool", "function", "tool_name", "function_name")
"""Keys of the tool's name."""
ARGUMENTS = ("arguments", "parameters", "args", "input", "params", "tool_input")
"""Keys of the arguments."""
WRAPPERS = ("function", "function_call", "tool_call")
"""Keys of an object that holds the name and the arguments."""
BESIDES = ("type", "id")
"""Keys that a call may have besides."""

_KEYS = frozenset((*NAMES, *ARGUMENTS, *WRAPPERS, *BESIDES))
_HEAD = re.compile(
    r'\{\s*(?:"type"\s*:\s*"function"\s*,\s*)?(?:"function"\s*:\s*\{\s*)?'
    rf'"(?:{"|".join(NAMES)})"\s*:\s*"([^"\\]+)"\s*,\s*"(?:{"|".join(ARGUMENTS)})"\s*:\s*'
)


def read_calls(cursor: Cursor, *, is_strict: bool = False) -> list[ToolCall]:
    """Read one object, several in a row, or a list of them; no calls when one of them is none.

    Raises Mismatch when no object stands here, Ended.

    is_strict: whether a call must have arguments, and may have nothing that calls do not have.
    """
    is_list = cursor.accept("[")
    cursor.skip_space()
    calls: list[ToolCall] = []
    is_call = True
    while True:
        try:
            call = _read_call(cursor, is_strict)
        except Ended as cut:
            raise Ended([*calls, *cut.calls] if is_call else ()) from None
        is_call = is_call and call is not None
        if call is not None:
            calls.append(call)
        behind = cursor.at
        cursor.skip_space()
        if cursor.sees(",") or cursor.sees(";"):
            cursor.at += 1
            behind = cursor.at
            cursor.skip_space()
        found = calls if is_call else []
        if cursor.is_at_end and not cursor.is_final:
            raise Ended(found)
        if cursor.sees("{"):
            continue
        if is_list:
            cursor.close("]", found)
        else:
            cursor.at = behind
        return found


def read_arguments(cursor: Cursor, name: str) -> ToolCall:
    """Read the object of arguments of a call of `name`. Raises Mismatch, Ended."""
    cursor.expect("{")
    start = cursor.at - 1
    end = value_end(cursor.text, start)
    if end < 0:
        raise Ended([ToolCall(name=name, arguments={}, raw=cursor.text[start:])])
    cursor.at = end
    return _call(name, cursor.text[start:end])


def call_of(value: object, *, is_strict: bool = False) -> ToolCall | None:
    """Return the call that a JSON value describes, None when it describes none."""
    if not isinstance(value, Mapping) or (is_strict and not value.keys() <= _KEYS):
        return None
    for key in WRAPPERS:
        if isinstance(value.get(key), Mapping):
            return call_of(value[key], is_strict=is_strict)
    name = next((value[key] for key in NAMES if isinstance(value.get(key), str)), None)
    if name is None or (is_strict and not value.keys() & set(ARGUMENTS)):
        return None
    arguments: object = next((value[key] for key in ARGUMENTS if key in value), {})
    if isinstance(arguments, str):
        return _call(name, arguments)
    if not isinstance(arguments, Mapping):
        return None
    return ToolCall(name=name, arguments=arguments)


def _read_call(cursor: Cursor, is_strict: bool) -> ToolCall | None:
    text, start = cursor.text, cursor.at
    if cursor.is_at_end:
        raise Ended
    if not cursor.sees("{"):
        raise Mismatch
    end = value_end(text, start)
    if end < 0:
        call = _headed_call(text[start:])
        raise Ended([call] if call else [])
    cursor.at = end
    try:
        return call_of(decode(text[start:end]), is_strict=is_strict)
    except ValueError:
        return _headed_call(text[start : end - 1])


def _headed_call(written: str) -> ToolCall | None:
    """Return the call of an object that is not closed or not correct; its arguments may be both."""
    head = _HEAD.match(written)
    if head is None:
        return None
    end = value_end(written, head.end()) if written.startswith("{", head.end()) else -1
    return _call(head[1], written[head.end() : end if end >= 0 else len(written)])


def _call(name: str, written: str) -> ToolCall:
    try:
        arguments = decode(written)
    except ValueError:
        arguments = None
    if isinstance(arguments, Mapping):
        return ToolCall(name=name, arguments=arguments)
    return ToolCall(name=name, arguments={}, raw=written.strip())
