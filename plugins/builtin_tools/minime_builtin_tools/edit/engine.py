"""Apply edits to a text: find each `old`, put `new` in its place, or say why not.

All edits are resolved against the original text, and either all of them are applied or none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from . import problems
from .diff import render_diff
from .document import Document
from .problems import Problem
from .resolution import Resolved, resolve
from .rewriting import Replacement

MAX_EDITS = 200
"""Edits in one call."""

_MAX_PROBLEMS = 5
"""Edits that fail before the rest is left unread."""


@dataclass(frozen=True)
class EditOutcome:
    """The result of `apply`: either a new text or a refusal."""

    text: str | None = None
    """The new text; None if the edits were refused."""
    applied: tuple[Resolved, ...] = ()
    """The edits in the order of the call."""
    diff: str = ""
    refusal: str | None = None
    """Text for the model; None if the edits were applied."""
    failed: tuple[int, ...] = ()
    """Numbers of the edits at fault, from 1."""

    @property
    def notes(self) -> tuple[str, ...]:
        """All notes, such as `edit 2 matched ignoring indentation`."""
        return tuple(note for edit in self.applied for note in edit.notes)

    def report(self, path: str, *, dry_run: bool = False) -> str:
        """Return the text for the model.

        :param path: the file, as it may be shown
        :param dry_run: nothing will be written
        """
        if self.refusal is not None:
            return self.refusal
        count = f"{len(self.applied)} edit{'s' if len(self.applied) > 1 else ''}"
        done = f"{count} would be applied to {path}, nothing was written (dry run)"
        head = done if dry_run else f"{count} applied to {path}"
        return f"[edit_file: {'; '.join([head, *self.notes])}]\n{self.diff}"


def apply(text: str, edits: Sequence[tuple[str, str]]) -> EditOutcome:
    """Apply `edits`, each an `(old, new)`, to `text`.

    Nothing is raised: what cannot be applied is refused, in words for the model.
    """
    if not edits:
        return EditOutcome(refusal="[edit_file: `edits` is empty; nothing was written]")
    if len(edits) > MAX_EDITS:
        todo = f"Send at most {MAX_EDITS} in one call"
        count = len(edits)
        return EditOutcome(refusal=f"[edit_file: {count} edits; nothing was written. {todo}]")
    document = Document(text)
    resolved: list[Resolved] = []
    failed: dict[int, Problem] = {}
    for number, (old, new) in enumerate(edits, 1):
        try:
            resolved.append(resolve(document, number, old, new))
        except Problem as problem:
            failed[number] = problem
            if len(failed) == _MAX_PROBLEMS:
                break
    in_file_order = sorted(resolved, key=lambda edit: edit.replacement.start)
    failed |= _overlaps(document, in_file_order)
    if failed:
        return _refused(failed, len(edits))
    replacements = _keep_final_newline(document, [edit.replacement for edit in in_file_order])
    return EditOutcome(
        text=_replaced(text, replacements),
        applied=tuple(resolved),
        diff=render_diff(document, replacements),
    )


def _overlaps(document: Document, edits: Sequence[Resolved]) -> dict[int, Problem]:
    """Return the problem of each edit that overlaps the one before it in the file."""
    failed: dict[int, Problem] = {}
    for before, after in pairwise(edits):
        start = after.replacement.start
        if start < before.replacement.end or start == before.replacement.start:
            first, second = sorted((before.number, after.number))
            failed[second] = problems.overlapping(first, second, document.line_at(start))
    return failed


def _keep_final_newline(document: Document, replacements: list[Replacement]) -> list[Replacement]:
    """Give the last line its ending back, if a replacement at the end of the file took it."""
    last = replacements[-1]
    had_ending = bool(document.endings) and document.endings[-1] != ""
    if not had_ending or last.end < len(document.text):
        return replacements
    result = _replaced(document.text, replacements)
    if not result or result[-1] in "\r\n":
        return replacements
    return [*replacements[:-1], replace(last, text=last.text + document.endings[-1])]


def _replaced(text: str, replacements: Sequence[Replacement]) -> str:
    pieces: list[str] = []
    position = 0
    for replacement in replacements:
        pieces += (text[position : replacement.start], replacement.text)
        position = replacement.end
    return "".join([*pieces, text[position:]])


def _refused(failed: dict[int, Problem], total: int) -> EditOutcome:
    """Say what is wrong with each edit that failed."""
    if total == 1:
        problem = failed[1]
        head = f"[edit_file: {problem.what}; nothing was written. {problem.todo}]"
        lines = [head, *problem.lines]
    else:
        lines = [
            f"[edit_file: nothing was written, because of {_numbers(failed)} of {total}. "
            "Correct this and send all edits again]"
        ]
        for number, problem in sorted(failed.items()):
            lines += [f"[edit {number}: {problem.what}. {problem.todo}]", *problem.lines]
        if len(failed) >= _MAX_PROBLEMS:
            lines.append("[the edits after that were not checked]")
    return EditOutcome(refusal="\n".join(lines), failed=tuple(sorted(failed)))


def _numbers(failed: dict[int, Problem]) -> str:
    numbers = [str(number) for number in sorted(failed)]
    return f"edit{'s' if len(numbers) > 1 else ''} {', '.join(numbers)}"
