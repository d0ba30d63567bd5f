"""Text and schemas of foreign tools, without what could trick a terminal, a model or a parser."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from minime_core.messages import clean_json
from minime_shared.schemas import reduce_schema

_SEQUENCE = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]P^_][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~])"
)
"""Control sequences of terminals, ECMA-48."""
# Controls except tab and newline, marks that reorder text, separators of lines that are not
# newlines, zero-width and interlinear marks, tags, halves of surrogate pairs.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff"
    "\ufff9-\ufffb\U000e0000-\U000e007f\ud800-\udfff]"
)
_CONTROLS = bytes(range(9)) + bytes(range(11, 32)) + b"\x7f"
"""Those of `_UNSAFE` that are ASCII: most text has no others, and bytes are searched faster."""
_NOTICE = re.compile(r"\[(?=[A-Za-z][\w.-]*: )")
MAX_SCHEMA = 16 << 10
"""Most characters of a tool's schema."""


def clean(text: str) -> str:
    """Return `text` with tabs and newlines as its only controls."""
    if text.isascii():
        data = text.encode()
        if len(data.translate(None, _CONTROLS)) == len(data):
            return text
    elif _UNSAFE.search(text) is None:
        return text
    return _UNSAFE.sub("", _SEQUENCE.sub("", text).replace("\r\n", "\n"))


def one_line(text: str, limit: int) -> str:
    """Return `text` in one clean line of at most `limit` characters."""
    line = " ".join(clean(text).split())
    return line if len(line) <= limit else f"{line[: limit - 4]} ..."


def without_notices(text: str) -> str:
    """Return `text` so that nothing in it looks like a notice of this program, `[name: ...]`."""
    return _NOTICE.sub(r"\\[", text) if "[" in text else text


def clean_schema(schema: object) -> dict[str, Any]:
    """Return a JSON schema of an object that is safe to check arguments with.

    It allows at least what `schema` allows; keywords that few servers know are left out. Raises
    ValueError when it is longer than `MAX_SCHEMA`.
    """
    given = clean_json(schema) if isinstance(schema, Mapping) else {}
    # Some have it one level too deep.
    properties = given.get("properties")
    if isinstance(properties, dict) and _is_names(properties.get("required")):
        given = {**given, "required": properties["required"]}
        given["properties"] = {k: v for k, v in properties.items() if k != "required"}
    reduced: dict[str, Any] = _clean_strings(reduce_schema(given))
    reduced = {"type": "object", "properties": {}} | reduced | {"type": "object"}
    if len(json.dumps(reduced, ensure_ascii=False)) > MAX_SCHEMA:
        raise ValueError(f"its schema has more than {MAX_SCHEMA} characters")
    return reduced


def _is_names(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)


def _clean_strings(value: Any) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [_clean_strings(item) for item in value]
    if isinstance(value, dict):
        return {clean(key): _clean_strings(item) for key, item in value.items()}
    return value
