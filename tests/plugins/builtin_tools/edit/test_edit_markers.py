"""`old` copied together with line numbers or diff markers."""

from __future__ import annotations

import pytest

from minime_builtin_tools.edit import apply

TEXT = "def f():\n    if a:\n\n        return 1\n    return 2\n"


def changed(text: str, old: str, new: str) -> str:
    outcome = apply(text, [(old, new)])
    assert outcome.text is not None, outcome.refusal
    assert any("matched without the" in note for note in outcome.notes)
    return outcome.text


def numbered(form: str, first: int, lines: list[str]) -> str:
    return "\n".join(form.format(n, line) for n, line in enumerate(lines, first))


@pytest.mark.parametrize(
    "form",
    ["{:>5}→{}", "{:>5}\t{}", "{}: {}", "{}:{}", "{:>4} | {}", "{}|{}", "{} │ {}", " {:>5}→{}"],
)
@pytest.mark.parametrize("in_new", [True, False])
def test_line_numbers_are_taken_off(form: str, in_new: bool) -> None:
    old = ["    if a:", "", "        return 1"]
    new = ["    if b:", "", "        return 3"]
    sent = numbered(form, 2, new) if in_new else "\n".join(new)
    assert changed(TEXT, numbered(form, 2, old), sent) == (
        "def f():\n    if b:\n\n        return 3\n    return 2\n"
    )


def test_numbers_and_wrong_indentation_together() -> None:
    old, new = "2→  if a:\n3→\n4→    return 1", "2→  if a:\n3→\n4→    return 3"
    assert changed(TEXT, old, new) == TEXT.replace("return 1", "return 3")


def test_a_diff_of_this_tool_can_be_copied_into_old() -> None:
    outcome = apply(TEXT, [("return 1", "return 3")])
    shown = outcome.diff.split("\n")
    old = "\n".join(shown)
    assert "-     →        return 1" in shown
    assert outcome.text is not None
    assert changed(outcome.text, old, old.replace("return 3", "return 4")) == (
        TEXT.replace("return 1", "return 4")
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("-        return 1", "+        return 3"),
        ("-        return 1", "        return 3"),
        ("-        return 1", "-        return 3"),
        (" \n-        return 1\n     return 2", " \n+        return 3\n     return 2"),
        ("     if a:\n \n-        return 1\n+        return 3", "     if a:\n \n+        return 3"),
        (
            "--- a/f.py\n+++ b/f.py\n@@ -2,3 +2,3 @@\n     if a:\n \n-        return 1",
            "--- a/f.py\n+++ b/f.py\n@@ -2,3 +2,3 @@\n     if a:\n \n+        return 3",
        ),
    ],
)
def test_diff_markers_are_taken_off(old: str, new: str) -> None:
    assert changed(TEXT, old, new) == TEXT.replace("return 1", "return 3")


def test_the_context_of_a_hunk_may_be_all_that_is_left_in_new() -> None:
    assert changed(TEXT, "     if a:\n \n-        return 1", "     if a:\n ") == (
        TEXT.replace("        return 1\n", "")
    )


def test_text_that_is_there_as_it_is_is_no_marker() -> None:
    text = "1: one\n2: two\n- item\n"
    assert apply(text, [("2: two", "2: deux")]).text == "1: one\n2: deux\n- item\n"
    assert apply(text, [("- item", "+ item")]).text == "1: one\n2: two\n+ item\n"


@pytest.mark.parametrize(
    ("text", "old"),
    [
        ("13: foo\n", "12: foo"),  # other data, not line 12
        ("a\nfoo\n", "12: foo"),  # too little text, and it is not line 12
        ("x = 12\n  bar\n", "- bar"),
        ("a\nb\n", "1: a\n3: b"),  # the numbers do not count
        ("    a()\n    b()\n", "1→    a()\nb()"),  # a line without number
        ("xx = foo + bar\n", "1→foo + bar"),  # whole lines only
    ],
)
def test_what_only_looks_like_a_marker_is_not_taken_off(text: str, old: str) -> None:
    assert apply(text, [(old, "new")]).text is None


def test_a_short_line_is_found_by_its_true_number() -> None:
    assert changed("a\nfoo\n", "2: foo", "2: bar") == "a\nbar\n"


def test_a_number_that_points_at_another_place_of_the_same_text_is_refused() -> None:
    text = "if a:\n    do_step(one)\nif b:\n        do_step(one)\n"
    outcome = apply(text, [("4→    do_step(one)", "4→    do_step(two)")])
    assert outcome.refusal is not None
    assert "`old` fits lines 2 and 4" in outcome.refusal


def test_numbers_do_not_make_an_ambiguous_block_unique() -> None:
    outcome = apply("a()\n-\na()\n", [("  3→a()", "  3→b()")])
    assert outcome.refusal is not None
    assert "`old` fits lines 1 and 3" in outcome.refusal


@pytest.mark.parametrize(
    ("old", "new", "removed"),
    [
        ("2→    if a:\n3→", "2→    if b:\n    more()", "line numbers"),
        ("-    if a:\n-", "+    if b:\nmore()", "diff markers"),
    ],
)
def test_half_marked_text_is_refused(old: str, new: str, removed: str) -> None:
    refusal = apply(TEXT, [(old, new)]).refusal
    assert refusal == (
        f"[edit_file: only some lines of `new` carry {removed}; nothing was written. "
        f"Send it without {removed}]"
    )
