"""What the model reads when an edit cannot be applied."""

from __future__ import annotations

import pytest

from minime_builtin_tools.edit import MAX_EDITS, apply

TEXT = "def f(x):\n    y = compute(x)\n    print(y)\n    return y\n\n\ndef g():\n    return 7\n"


def refused(text: str, old: str, new: str) -> str:
    outcome = apply(text, [(old, new)])
    assert outcome.refusal is not None, outcome.text
    return outcome.refusal


@pytest.mark.parametrize(
    ("text", "old", "new", "says"),
    [
        (TEXT, "", "x", "`old` is empty, but the file is not; nothing was written. To insert text"),
        (TEXT, "\n\n\n", "\n", "`old` is only white space"),
        (TEXT, " ", "", "`old` is only white space"),
        (TEXT, "\ufeff", "x", "`old` is only white space"),
        (TEXT, "print", "print", "the file would not change"),
        (TEXT, "print(y)\n", "print(y)\r\n", "the file would not change"),
        (TEXT, "nothing like it", "x", "no lines come near it; nothing was written. Read the file"),
        ("", "x", "y", "no lines come near it"),
        ("\n\n", "x", "y", "no lines come near it"),
    ],
)
def test_each_reason_comes_with_what_to_do(text: str, old: str, new: str, says: str) -> None:
    refusal = refused(text, old, new)
    assert refusal.startswith("[edit_file: ")
    assert says in refusal
    assert "nothing was written" in refusal


def test_an_empty_file_is_filled_by_an_empty_old() -> None:
    outcome = apply("", [("", "a\nb\n")])
    assert outcome.text == "a\nb\n"
    assert outcome.diff == "+    1→a\n+    2→b"


def test_the_closest_lines_are_shown_for_copying() -> None:
    assert refused(TEXT, "    y = compute(x)\n    print(z, y)\n    return y", "pass") == (
        "[edit_file: `old` is not in the file (2 of its 3 lines are); nothing was written. "
        "Copy these lines into `old`, without the numbers:]\n"
        "     2→    y = compute(x)\n     3→    print(y)\n     4→    return y"
    )


def test_a_single_mistyped_line_is_found() -> None:
    assert "     2→    y = compute(x)" in refused(TEXT, "y = compute(xx)", "pass")


def test_less_than_half_of_the_lines_is_not_near() -> None:
    old = "    y = compute(x)\n    open()\n    shut()\n    wait()"
    assert "no lines come near it" in refused(TEXT, old, "pass")
    assert "     2→" in refused(TEXT, "    y = compute(x)\n    open()", "pass")


def test_a_missing_and_an_added_line_do_not_hide_the_place() -> None:
    assert "     4→    return y" in refused(TEXT, "y = compute(x)\nreturn y", "pass")
    assert "     3→    print(y)" in refused(TEXT, "y = compute(x)\nlog()\nprint(y)", "pass")


def test_of_a_long_block_only_the_differences_are_shown() -> None:
    lines = [f"    step_{n}(argument_{n})" for n in range(200)]
    text = "\n".join(["begin()", *lines, "end()", ""])
    wrong = [*lines[:120], "    step_120(argument)", *lines[121:150], *lines[152:], "never()"]
    refusal = refused(text, "\n".join(wrong), "x")
    assert "The closest lines are 2 to" in refusal
    assert "   122→    step_120(argument_120)" in refusal
    assert "   152→    step_150(argument_150)" in refusal
    assert "Not there at all: line 199 of `old`." in refusal
    assert len(refusal.split("\n")) < 15


def test_a_long_block_that_differs_in_blank_lines_alone_is_said() -> None:
    lines = [f"    step_{n}(argument_{n})" for n in range(50)]
    old = "\n".join([*lines[:20], "", *lines[20:]])
    assert refused("\n".join(lines) + "\n", old, "x") == (
        "[edit_file: `old` is not in the file (50 of its 50 lines are); nothing was written. "
        "The closest lines are 1 to 50, but blank lines differ. Send a shorter `old`]"
    )


def test_long_lines_are_cut_and_that_is_stated() -> None:
    text = "start = [" + "1234567, " * 100 + "]\nnext = 1\n"
    refusal = refused(text, text.replace("start", "begin"), "x")
    assert "… (+710 characters)" in refusal
    assert len(refusal) < 600


@pytest.mark.parametrize(
    ("file", "old", "name"),
    [
        ("a =\u00a01", "a = 1", "U+00A0 NO-BREAK SPACE"),
        ("print(\u201chi\u201d)", 'print("hi")', "U+201C LEFT DOUBLE QUOTATION MARK"),
        ("total\u200b = 1", "total = 1", "U+200B ZERO WIDTH SPACE"),
    ],
)
def test_a_character_that_only_looks_the_same_is_named(file: str, old: str, name: str) -> None:
    refusal = refused(f"{file}\nb\n", old, "x")
    assert f"Line 1 holds {name}, which `old` has in another form." in refusal


def test_an_edit_that_is_applied_already_is_recognised() -> None:
    old, new = "    print(y)\n    return y", "    print(y, y)\n    return y + 1"
    text = TEXT.replace(old, new)
    assert refused(text, old, new) == (
        "[edit_file: this edit is already applied: `old` is gone and `new` is at line 3; "
        "nothing was written. Do not send it again]"
    )
    assert "already applied" in refused(text, "print(y)\n    return y\n", "print(y, y)\n    return")
    assert "already applied" in refused("a = 2  # two\n", "a = 1  # two", "a = 2")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # `new` is there, but so are the lines that the edit takes away.
        ("    y = compute(x)\n    print(yy)\n    return y", "    y = compute(x)"),
        # `new` is somewhere, `old` comes near elsewhere.
        ("    y = compute(xx)", "    return 7"),
        # `new` is too short to mean anything.
        ("something else", "def"),
        ("something else", "    "),
        ("something else", ""),
    ],
)
def test_an_edit_is_not_taken_for_applied_without_proof(old: str, new: str) -> None:
    assert "already applied" not in refused(TEXT, old, new)


def test_an_ambiguous_old_is_shown_how_to_become_unique() -> None:
    text = "def f():\n    a()\n    return 1\n\ndef g():\n    a()\n    return 1\n"
    assert refused(text, "    return 1", "    return 2") == (
        "[edit_file: `old` fits lines 3 and 7; nothing was written. Extend `old` and `new` up or "
        "down to the line that only the place you mean has:]\n     1→def f():\n     5→def g():"
    )


def test_many_places_are_counted_not_listed() -> None:
    assert "fits 300 places, among them lines 1, 2, 3, 4, 5;" in refused("x\n" * 300, "x", "y")
    assert "fits at least 1000 places" in refused("x\n" * 3_000, "x", "y")
    assert "fits several places in line 1;" in refused("x x\n", "x", "y")


def test_lines_that_nest_in_another_way_are_shown_as_they_are() -> None:
    refusal = refused("if a:\n    b()\nc()\n", "if a:\n  b()\n  c()", "x")
    assert "`old` is at line 1, but its lines are indented in another way" in refusal
    assert refusal.endswith("     1→if a:\n     2→    b()\n     3→c()")


def test_each_failing_edit_of_several_is_explained() -> None:
    outcome = apply(TEXT, [("print", "log"), ("return", "x"), ("", "y")])
    assert outcome.failed == (2, 3)
    assert outcome.refusal is not None
    lines = outcome.refusal.split("\n")
    assert lines[0] == (
        "[edit_file: nothing was written, because of edits 2, 3 of 3. "
        "Correct this and send all edits again]"
    )
    assert lines[1].startswith("[edit 2: `old` fits lines 4 and 8.")
    assert lines[-1].startswith("[edit 3: `old` is empty")


def test_after_some_failures_the_rest_is_not_searched() -> None:
    outcome = apply(TEXT, [(f"missing {n}", "x") for n in range(MAX_EDITS)])
    assert outcome.failed == (1, 2, 3, 4, 5)
    assert outcome.refusal is not None
    assert outcome.refusal.endswith("[the edits after that were not checked]")


def test_no_edits_and_too_many_are_refused() -> None:
    assert apply("a", []).refusal == "[edit_file: `edits` is empty; nothing was written]"
    refusal = apply("a", [("a", "b")] * (MAX_EDITS + 1)).refusal
    assert refusal == ("[edit_file: 201 edits; nothing was written. Send at most 200 in one call]")
