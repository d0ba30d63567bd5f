"""The engine over edits garbled as models garble them, made from real source files."""

from __future__ import annotations

import os
from collections.abc import Iterator

import corpus
from minime_builtin_tools.edit import apply

FULL = os.environ.get("MM_FULL_CORPUS") == "1"
SEED = 20_260_101


def failures(cases: Iterator[corpus.Case]) -> Iterator[tuple[str, corpus.Case]]:
    """Yield the cases that did not give the exact edit, with what happened instead."""
    for case in cases:
        text = apply(case.text, [(case.old, case.new)]).text
        if text is None:
            yield "refused", case
        elif not (text.startswith(case.before) and text.endswith(case.after)):
            yield "wrong place", case
        elif text != case.expected:
            yield "written differently", case


def test_a_unique_block_is_edited_as_the_exact_edit_would() -> None:
    count = 10_000 if FULL else 300
    failed = list(failures(corpus.cases(count, SEED)))
    assert [case for what, case in failed if what == "wrong place"] == []
    assert len(failed) <= count // 100, failed[:3]


def test_an_ambiguous_block_is_never_edited() -> None:
    count = 2_000 if FULL else 60
    for case in corpus.cases(count, SEED, unique=False):
        assert apply(case.text, [(case.old, case.new)]).text is None, case
