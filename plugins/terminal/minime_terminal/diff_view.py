"""A change of a file as coloured lines."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice, takewhile

from rich.text import Text

from minime_core.events import FileDiff
from minime_terminal import figures
from minime_terminal.painter import Painter

CONTEXT = 2
"""Lines around a change."""
MAX_COMPARED = 2000
"""Lines of either side that are compared; a change of more is told by its size."""

_STYLES = {"+": "green", "-": "red", "@": "cyan"}


def diff_rows(diff: FileDiff, painter: Painter, limit: int | None = None) -> list[str]:
    """Return the head of a diff and at most `limit` of its lines."""
    head, lines = diff_lines(diff)
    rows = painter.rows(Text(painter.clean(head), "bold"))
    shown = lines[:limit]
    for line in shown:
        style = _STYLES.get(line[:1], "dim")
        rows += painter.rows(Text(painter.clean(line.rstrip("\n")).expandtabs(4), style))
    if limit and len(shown) < len(lines):
        rest = figures.counted(len(lines) - len(shown), "more line")
        rows.append(painter.row((f"{painter.signs.cut} {rest}", "dim")))
    return rows


def diff_lines(diff: FileDiff) -> tuple[str, list[str]]:
    """Return what happened to the file in one line, and the lines of the diff."""
    old = (diff.old or "").splitlines()
    new = (diff.new or "").splitlines()
    path = _short(diff.path)
    if diff.old is None:
        return f"{path} (new, {figures.counted(len(new), 'line')})", [f"+{x}" for x in new]
    if diff.new is None:
        return f"{path} (deleted, {figures.counted(len(old), 'line')})", []
    lines = list(_changes(old, new))
    added = sum(line[:1] == "+" for line in lines)
    removed = sum(line[:1] == "-" for line in lines)
    return f"{path} (+{added} -{removed})", lines


def _short(path: str) -> str:
    """Return a path in this folder as the user would type it, any other as it is."""
    with suppress(OSError):  # This folder may be gone.
        here = os.getcwd() + os.sep
        return path.removeprefix(here) or path
    return path


def _changes(old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    # What is the same at both ends need not be compared: a small change of a large file is quick.
    start = _same(old, new)
    end = min(_same(old[::-1], new[::-1]), min(len(old), len(new)) - start)
    start, end = max(start - CONTEXT, 0), max(end - CONTEXT, 0)
    before, after = old[start : len(old) - end], new[start : len(new) - end]
    if max(len(before), len(after)) > MAX_COMPARED:
        lines = f"{start + 1} to {start + len(before)}"
        yield f"@@ lines {lines} were replaced by {len(after)} others @@"
        return
    # The first two lines name the files.
    for line in islice(difflib.unified_diff(before, after, n=CONTEXT, lineterm=""), 2, None):
        yield _shifted(line, start) if line.startswith("@@") else line


def _same(old: Sequence[str], new: Sequence[str]) -> int:
    pairs = zip(old, new, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _shifted(line: str, by: int) -> str:
    """Return the head of a hunk with the line numbers of the whole file."""
    _, *ranges, _ = line.split()
    shifted = []
    for part in ranges:
        number, comma, count = part[1:].partition(",")
        shifted.append(f"{part[0]}{int(number) + by}{comma}{count}")
    return f"@@ {' '.join(shifted)} @@"
