"""What a line of Markdown begins, as far as a stream has to know: CommonMark simplified."""

from __future__ import annotations

import re
from typing import Literal

Kind = Literal["blank", "fence", "heading", "rule", "item", "quote", "code", "text"]

_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})(.*)")
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
_RULE = re.compile(r" {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$")
_ITEM = re.compile(r" {0,3}(?:[-+*]|\d{1,9}[.)])(?:[ \t]+|$)")
_QUOTE = re.compile(r" {0,3}>")
_CODE = re.compile(r" {4}|\t")
_DELIMITER = re.compile(r" {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*")

SETTLED = 16
"""Characters after which it is known what a line begins, but for fences and rows of tables."""


def kind_of(line: str) -> Kind:
    """Return what a whole line begins when it does not go on with the block before it."""
    if not line.strip():
        return "blank"
    if _FENCE.match(line):
        return "fence"
    if _HEADING.match(line):
        return "heading"
    if _RULE.match(line):
        return "rule"
    if _ITEM.match(line):
        return "item"
    if _QUOTE.match(line):
        return "quote"
    return "code" if _CODE.match(line) else "text"


def is_settled(start: str) -> bool:
    """Return whether a line that begins with `start` is text whatever follows."""
    first = start.lstrip(" ")[:1]
    if first.isalpha():
        return True
    return len(start) >= SETTLED and kind_of(start) == "text" and first not in "`~|:-="


def fence_of(line: str) -> tuple[str, str] | None:
    """Return the fence that a line opens and what stands behind it."""
    match = _FENCE.match(line)
    return (match[1], match[2].strip()) if match else None


def closes(line: str, fence: str) -> bool:
    """Return whether a line closes a code block that `fence` opened."""
    stripped = line.strip()
    return len(stripped) >= len(fence) and not stripped.strip(fence[0]) and _indent(line) < 4


def is_delimiter(line: str) -> bool:
    """Return whether a line is the second one of a table."""
    return "|" in line and _DELIMITER.fullmatch(line) is not None


def content_column(item: str) -> int:
    """Return the column at which the content of a list item begins."""
    match = _ITEM.match(item)
    assert match is not None
    width = len(match[0].expandtabs(4))
    # Behind the mark of an item that begins with code, one blank belongs to the mark.
    return width if width - len(match[0].rstrip()) <= 4 else len(match[0].rstrip()) + 1


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
