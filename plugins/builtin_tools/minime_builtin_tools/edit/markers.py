"""`old` copied with what a tool printed around the lines: line numbers or diff markers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from .document import BLANKS, is_blank, normalise

_NUMBER_FORMS = (
    re.compile(r"(?:[-+][ \t]*)?(\d{1,9})→(.*)"),
    re.compile(r"(\d{1,9})\t(.*)"),
    re.compile(r"(\d{1,9}):(?: (.*))?"),
    re.compile(r"(\d{1,9}):(.*)"),
    re.compile(r"(\d{1,9}) ?[|│](?: (.*))?"),
    re.compile(r"(\d{1,9}) ?[|│](.*)"),
)
"""`12→code`, `12<tab>code`, `12: code`, `12:code`, `12 | code`, `12|code`, in any padding."""

_TELLING_LENGTH = 10
"""Characters of code from which one line proves that the number before it is a marker."""

_REMOVED_LINE = re.compile(r"-[ \t]*→")
"""A removed line in a diff of this tool: the file does not have it any more."""


@dataclass(frozen=True)
class Unmarked:
    """An edit without the markers that were around its lines."""

    old: str
    new: str | None
    """None if some lines have the markers and others do not."""
    removed: str
    """What was taken off, in words."""
    line: int | None = None
    """The number that the first line with text had."""
    doubtful: bool = False
    """There is too little text to prove the marker: what it says must be true."""


def without_markers(old: str, new: str) -> Iterator[Unmarked]:
    """Yield the readings of an edit whose every line of `old` begins with a marker."""
    old_lines = normalise(old).split("\n")
    new_lines = normalise(new).split("\n")
    for form in _NUMBER_FORMS:
        yield from _without_numbers(form, old_lines, new_lines)
    yield from _without_diff(old_lines, new_lines)


def _without_numbers(
    form: re.Pattern[str], old_lines: list[str], new_lines: list[str]
) -> Iterator[Unmarked]:
    old = _read_numbers(form, old_lines)
    offsets = {number - at for at, (number, _) in enumerate(old) if number is not None}
    numbered = [at for at, (number, _) in enumerate(old) if number is not None]
    if len(offsets) != 1 or not _all_numbered(old):
        return
    new = _read_numbers(form, new_lines)
    half = not _all_numbered(new) and any(number is not None for number, _ in new)
    # One short line such as `8080: web` or `3<tab>x` may well be data: its number must be true.
    first = numbered[0]
    doubtful = len(numbered) == 1 and len(old[first][1].strip()) < _TELLING_LENGTH
    yield Unmarked(
        old="\n".join(code for _, code in old),
        new=None if half else "\n".join(code for _, code in new),
        removed="line numbers",
        line=old[first][0],
        doubtful=doubtful,
    )


def _read_numbers(form: re.Pattern[str], lines: list[str]) -> list[tuple[int | None, str]]:
    """Return the number of each line, None if it has none, and the code after it."""
    read: list[tuple[int | None, str]] = []
    for line in lines:
        bare = line.lstrip(BLANKS)
        found = form.fullmatch(bare)
        if found:
            read.append((int(found[1]), found[2] or ""))
        elif not _REMOVED_LINE.match(bare):
            read.append((None, line))
    return read


def _all_numbered(lines: list[tuple[int | None, str]]) -> bool:
    return all(number is not None or is_blank(code) for number, code in lines)


def _without_diff(old_lines: list[str], new_lines: list[str]) -> Iterator[Unmarked]:
    body, new_body = _without_headers(old_lines), _without_headers(new_lines)
    signs, new_signs = _signs(body), _signs(new_body)
    if not signs <= {"-", "+", " "} or not signs & {"-", "+"}:
        return
    context = {line for line in body if line.startswith(" ")}
    new: str | None
    if new_signs & {"-", "+"}:
        new = _side(new_body, "-" if "+" in new_signs else "") if new_signs <= set("-+ ") else None
    elif all(line in context or is_blank(line) for line in new_body):
        new = _side(new_body, "")
    else:
        new = "\n".join(new_lines)
    single = sum(not is_blank(line) for line in body) == 1
    doubtful = single and not ("-" in signs and "+" in new_signs)
    # Of a whole diff, the file has one side: the old one, or the new one if it is applied.
    for dropped in ("+", "-") if {"-", "+"} <= signs else ("",):
        yield Unmarked(_side(body, dropped), new, "diff markers", doubtful=doubtful)


def _signs(lines: list[str]) -> set[str]:
    return {line[0] for line in lines if not is_blank(line)}


def _side(lines: list[str], dropped: str) -> str:
    """Return `lines` without their first character, those that begin with `dropped` left out."""
    return "\n".join(line[1:] for line in lines if not dropped or not line.startswith(dropped))


def _without_headers(lines: list[str]) -> list[str]:
    if len(lines) > 1 and lines[0].startswith("--- ") and lines[1].startswith("+++ "):
        lines = lines[2:]
    return [line for line in lines if not line.startswith("@@ ")]
