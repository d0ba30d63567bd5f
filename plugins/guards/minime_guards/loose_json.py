"""Reads the arguments of a call where the model wrote them nearly as JSON.

Nothing is guessed: what is repaired can be meant in one way only. A text that ends before its
object does has no such way.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from minime_core.messages import clean_text

MAX_LAYERS = 3
"""How often arguments may be packed into text or lists."""
MAX_TAGS = 5
"""How many closing tags may follow arguments."""

_FENCE = re.compile(r"```[\w-]*\s*(.*?)\s*(?:```)?", re.DOTALL)
# </tool_call>, <|im_end|>, <tool_call|>, [/TOOL_CALLS]
_CLOSING_TAG = re.compile(r"(?:</[\w:-]+>|<\|[\w-]+\|>|<[\w-]+\|>|\[/[A-Z_]+\])\s*\Z")
_TOKEN = re.compile(
    r"""
      (?P<space>\s+)
    | (?P<string>"(?:[^"\\]+|\\.)*+"|'(?:[^'\\]+|\\.)*+')
    | (?P<mark>[{}\[\],:])
    | (?P<number>-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)(?![\w.])
    | (?P<word>[A-Za-z_]\w*)
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_LITERALS = {
    "true": "true", "false": "false", "null": "null",
    "True": "true", "False": "false", "None": "null",
}  # fmt: skip
_PARAMETER = re.compile(r"<parameter=([^>\s]+)>\n?(.*?)\n?</parameter>", re.DOTALL)
_AROUND = re.compile(r"(?:\s|</?tool_call>|<function=[^>\s]+>|</function>)*+")


def read_object(text: str) -> dict[str, Any] | None:
    """Return the object that `text` surely stands for, or None."""
    if _is_xml(text):
        return _qwen_parameters(text)
    value: Any = text
    for _ in range(MAX_LAYERS):
        if isinstance(value, str):
            value = _read(_bare(value))
        elif isinstance(value, list) and len(value) == 1:
            value = value[0]
    return value if isinstance(value, dict) else None


def is_cut(text: str) -> bool:
    """Return whether `text` ends before what it begins does."""
    if _is_xml(text):
        closed = text.count("</parameter>")
        return not closed or text.count("<parameter=") != closed
    depth = 0
    for kind, token in _tokens(_bare(text)):
        if not kind and token[0] in "\"'":
            return True
        depth += (token in ("{", "[")) - (token in ("}", "]"))
    return depth > 0 or not text.strip()


def _is_xml(text: str) -> bool:
    return text.lstrip().startswith(("<tool_call>", "<function=", "<parameter="))


def _bare(text: str) -> str:
    """Return `text` without a code fence around it and closing tags at its end."""
    text = text.strip().removeprefix("\ufeff")
    if text.startswith("```") and (fenced := _FENCE.fullmatch(text)):
        text = fenced[1]
    for _ in range(MAX_TAGS):
        if tag := _CLOSING_TAG.search(text, max(len(text) - 40, 0)):
            text = text[: tag.start()].rstrip()
    return text


def _read(text: str) -> Any:
    for attempt in (text, _without_closers(text), _as_json(text)):
        try:
            # Not strict: a line end inside a string means itself.
            return json.loads(attempt, strict=False, parse_constant=_refuse)
        except (ValueError, RecursionError):
            continue
    return None


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def _without_closers(text: str) -> str:
    """Return `text` without brackets that close nothing behind a whole value."""
    try:
        _, end = json.JSONDecoder(strict=False).raw_decode(text)
    except (ValueError, RecursionError):
        return ""
    return "" if text[end:].strip("]} \t\r\n") else text[:end]


def _as_json(text: str) -> str:
    """Return `text` with its quotes, literals, bare keys and trailing commas as JSON has them."""
    tokens = list(_tokens(text))
    written: list[str] = []
    for place, (kind, token) in enumerate(tokens):
        if kind == "string":
            token = json.dumps(_decoded(token))
        elif kind == "word":
            is_key = tokens[place + 1 : place + 2] == [("mark", ":")]
            token = json.dumps(token) if is_key else _LITERALS.get(token, token)
        elif token in ("}", "]") and written[-1:] == [","] and written[-2:-1] != [","]:
            written.pop()
        written.append(token)
    return " ".join(written)


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    """Yield the kind and text of each token but white space; the kind is "" for what is none.

    A string that does not end is the last one.
    """
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None and text[at] in "\"'":
            yield "", text[at:]
            return
        end = match.end() if match else at + 1
        kind = str(match.lastgroup) if match else ""
        if kind != "space":
            yield kind, text[at:end]
        at = end


def _decoded(string: str) -> str:
    def plain(escape: re.Match[str]) -> str:
        code = escape[1]
        if len(code) == 5:
            return chr(int(code[1:], 16))
        if code in "\\\"'/":
            return code
        # An escape that JSON does not have is none: a path of Windows, a regular expression.
        return _ESCAPES.get(code, escape[0])

    return clean_text(_ESCAPE.sub(plain, string[1:-1]))


def _qwen_parameters(text: str) -> dict[str, Any] | None:
    """Return the parameters that Qwen3-Coder's XML names, all of them as text."""
    count = text.count("<parameter=")
    if (
        not count
        or count != text.count("</parameter>")
        or not _AROUND.fullmatch(_PARAMETER.sub("", text))
    ):
        return None
    parameters = dict(_PARAMETER.findall(text))
    return parameters if len(parameters) == count else None
