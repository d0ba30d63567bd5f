"""Pair the lines of one block with the lines of another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

_MAX_CELLS = 16_000_000
"""Size of the comparison of two blocks, in pairs of lines (4 MB of bit matrix)."""

Step = tuple[str, int, int]
"""`equal`, `replace`, `insert` or `delete`, with a line on each side (meaningless where none)."""


def align(a: Sequence[str], b: Sequence[str]) -> Iterator[Step]:
    """Yield how `a` becomes `b`, line by line, with as many equal lines as possible.

    The lines between two equal ones replace each other in their order. Blocks too large to be
    compared are paired in order between their common ends.
    """
    head = 0
    while head < min(len(a), len(b)) and a[head] == b[head]:
        yield "equal", head, head
        head += 1
    tail = 0
    while tail < min(len(a), len(b)) - head and a[-1 - tail] == b[-1 - tail]:
        tail += 1
    yield from _align_middle(a, b, head, len(a) - tail, len(b) - tail)
    for back in range(tail, 0, -1):
        yield "equal", len(a) - back, len(b) - back


def _align_middle(
    a: Sequence[str], b: Sequence[str], head: int, a_end: int, b_end: int
) -> Iterator[Step]:
    a_size, b_size = a_end - head, b_end - head
    if not a_size or not b_size or a_size * b_size > _MAX_CELLS:
        yield from _steps("replace", head, a_end, head, b_end)
        return
    from rapidfuzz.distance import Indel

    # Numbers in place of lines: rapidfuzz compares by hash, and numbers hash to themselves.
    numbers: dict[str, int] = {}
    a_numbers = [numbers.setdefault(line, len(numbers)) for line in a[head:a_end]]
    b_numbers = [numbers.setdefault(line, len(numbers)) for line in b[head:b_end]]
    done_a, done_b = head, head
    for op in Indel.opcodes(a_numbers, b_numbers):
        if op.tag == "equal":
            a_at, b_at = head + op.src_start, head + op.dest_start
            yield from _steps("replace", done_a, a_at, done_b, b_at)
            done_a, done_b = head + op.src_end, head + op.dest_end
            yield from _steps("equal", a_at, done_a, b_at, done_b)
    yield from _steps("replace", done_a, a_end, done_b, b_end)


def _steps(tag: str, a: int, a_end: int, b: int, b_end: int) -> Iterator[Step]:
    while a < a_end and b < b_end:
        yield tag, a, b
        a, b = a + 1, b + 1
    for rest in range(a, a_end):
        yield "delete", rest, b
    for rest in range(b, b_end):
        yield "insert", a, rest
