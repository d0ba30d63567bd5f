"""JSON with other quotes: strings between tokens, keys bare, as Gemma 4 writes arguments."""

from __future__ import annotations

import re
from collections.abc import Mapping

from minime_core.messages import MAX_DEPTH, ToolCall
from minime_tool_formats.cursor import Cursor, Ended, Mismatch
from minime_tool_formats.json_text import INSIDE_QUOTES, decode, dump

STRING = '<|"|>'
"""Stands before and behind a string."""
QUOTES = (STRING, "<escape>", '"')
"""What stands there in this and older models, and where the server lost the token."""

_BARE_KEY = re.compile(r"[^\s:,{}\[\]<\"]+")
_BARE_VALUE = re.compile(r"[^,{}\[\]<\"]+")


def read_object(cursor: Cursor, name: str) -> ToolCall:
    """Read the arguments of a call of `name`. Raises Mismatch, Ended with what was cut as JSON."""
    written: list[str] = []
    try:
        cursor.expect("{")
        _read_members(cursor, written, MAX_DEPTH)
    except Ended:
        raise Ended([ToolCall(name=name, arguments={}, raw="".join(written) or "{")]) from None
    arguments = decode("".join(written))
    assert isinstance(arguments, dict)
    return ToolCall(name=name, arguments=arguments)


def render(value: object) -> str:
    """Return a JSON value in this syntax."""
    if isinstance(value, str):
        return f"{STRING}{value}{STRING}"
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{_key(key)}:{render(v)}" for key, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(render, value)) + "]"
    return dump(value)


def _key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else f"{STRING}{key}{STRING}"


def _read_members(cursor: Cursor, written: list[str], depth: int) -> None:
    """Read an object from behind its brace, and append it to `written` as JSON."""
    written.append("{")
    cursor.skip_space()
    is_first = True
    while not cursor.accept("}"):
        if not is_first:
            cursor.expect(",")
            cursor.skip_space()
            written.append(", ")
        is_first = False
        _read_key(cursor, written)
        cursor.skip_space()
        cursor.expect(":")
        cursor.skip_space()
        written.append(": ")
        _read_value(cursor, written, depth - 1)
        cursor.skip_space()
    written.append("}")


def _read_items(cursor: Cursor, written: list[str], depth: int) -> None:
    """Read a list from behind its bracket, and append it to `written` as JSON."""
    written.append("[")
    cursor.skip_space()
    is_first = True
    while not cursor.accept("]"):
        if not is_first:
            cursor.expect(",")
            cursor.skip_space()
            written.append(", ")
        is_first = False
        _read_value(cursor, written, depth - 1)
        cursor.skip_space()
    written.append("]")


def _read_key(cursor: Cursor, written: list[str]) -> None:
    if _read_string(cursor, written):
        return
    key = _BARE_KEY.match(cursor.text, cursor.at)
    if key is None:
        raise Mismatch
    cursor.at = key.end()
    if cursor.is_at_end:
        raise Ended
    written.append(dump(key[0]))


def _read_value(cursor: Cursor, written: list[str], depth: int) -> None:
    if depth <= 0:
        raise Mismatch
    if _read_string(cursor, written):
        return
    if cursor.accept("{"):
        _read_members(cursor, written, depth)
    elif cursor.accept("["):
        _read_items(cursor, written, depth)
    else:
        bare = _BARE_VALUE.match(cursor.text, cursor.at)
        if bare is None:
            raise Mismatch
        cursor.at = bare.end()
        if cursor.is_at_end:
            raise Ended
        written.append(_literal(bare[0].strip()))


def _read_string(cursor: Cursor, written: list[str]) -> bool:
    """Read a string if one begins here, and append it to `written`, cut if it is."""
    quote = next((quote for quote in QUOTES if cursor.accept(quote)), None)
    if quote is None:
        return False
    start = cursor.at
    if quote == '"':
        inside = INSIDE_QUOTES.match(cursor.text, start)
        end = inside.end() - 1 if inside else -1
    else:
        end = cursor.text.find(quote, start)
    string = cursor.text[start : end if end >= 0 else len(cursor.text)]
    if quote == '"':
        string = _unescaped(string)
    if end < 0:
        written.append(dump(string)[:-1])
        raise Ended
    written.append(dump(string))
    cursor.at = end + len(quote)
    return True


def _unescaped(string: str) -> str:
    try:
        return str(decode(f'"{string}"'))
    except ValueError:
        return string


def _literal(bare: str) -> str:
    """Return a number or another value without quotes as JSON; what is none is a string."""
    try:
        return dump(decode(bare))
    except ValueError:
        return dump(bare)
