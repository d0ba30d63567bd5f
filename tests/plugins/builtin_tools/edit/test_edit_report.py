"""What the model reads when edits were applied."""

from __future__ import annotations

from minime_builtin_tools.edit import EditOutcome, apply

TEXT = "".join(f"line {n}\n" for n in range(1, 31))


def test_the_report_names_the_file_and_what_was_ignored() -> None:
    outcome = apply("a = 1\nif x:\n    b = 2\n", [("a = 1", "a = 3"), ("  b = 2 ", "  b = 4 ")])
    assert outcome.report("f.py") == (
        "[edit_file: 2 edits applied to f.py; "
        "edit 2 matched ignoring indentation and trailing white space]\n"
        "-     →a = 1\n+    1→a = 3\n     2→if x:\n-     →    b = 2\n+    3→    b = 4"
    )


def test_a_dry_run_says_that_nothing_was_written() -> None:
    outcome = apply("a\n", [("a", "b")])
    assert outcome.report("f.py", dry_run=True) == (
        "[edit_file: 1 edit would be applied to f.py, nothing was written (dry run)]\n"
        "-     →a\n+    1→b"
    )


def test_a_refusal_is_reported_as_it_is() -> None:
    assert EditOutcome(refusal="[edit_file: no]").report("f.py") == "[edit_file: no]"


def test_the_diff_has_two_lines_of_context_and_the_numbers_of_the_new_text() -> None:
    edits = [("line 5\n", "line 5\nadded\nadded\n"), ("line 20\n", ""), ("line 22", "changed")]
    assert apply(TEXT, edits).diff == (
        "     4→line 4\n     5→line 5\n+    6→added\n+    7→added\n     8→line 6\n     9→line 7\n"
        "...\n"
        "    20→line 18\n    21→line 19\n-     →line 20\n    22→line 21\n-     →line 22\n"
        "+   23→changed\n    24→line 23\n    25→line 24"
    )


def test_lines_that_change_together_are_shown_together() -> None:
    assert apply("a\nb\n", [("a\nb", "x\ny")]).diff == "-     →a\n-     →b\n+    1→x\n+    2→y"


def test_unchanged_lines_inside_a_large_edit_are_left_out() -> None:
    old = "\n".join(f"line {n}" for n in range(1, 31))
    new = old.replace("line 3\n", "LINE 3\n").replace("line 28", "LINE 28")
    assert apply(TEXT, [(old, new)]).diff == (
        "     1→line 1\n     2→line 2\n-     →line 3\n+    3→LINE 3\n     4→line 4\n     5→line 5\n"
        "...\n"
        "    26→line 26\n    27→line 27\n-     →line 28\n+   28→LINE 28\n"
        "    29→line 29\n    30→line 30"
    )


def test_a_long_diff_keeps_its_beginning_and_its_end_and_counts_the_rest() -> None:
    added = "".join(f"added {n}\n" for n in range(500))
    shown = apply(TEXT, [("line 5\n", "line 5\n" + added)]).diff.split("\n")
    assert len(shown) == 61
    assert shown[40] == "... 444 more lines of the diff ..."
    assert shown[-1] == "   507→line 7"


def test_a_line_joined_by_the_edit_is_shown_and_said() -> None:
    outcome = apply("a\nb\nc\n", [("a\n", "x")])
    assert outcome.text == "xb\nc\n"
    assert outcome.diff == "-     →a\n-     →b\n+    1→xb\n     2→c"
    assert outcome.notes == (
        "edit 1: `old` ended with a newline and `new` did not, so that two lines were joined",
    )


def test_text_inserted_a_second_time_is_said() -> None:
    outcome = apply("import a\nimport b\n", [("import a", "import a\nimport b")])
    assert outcome.notes == ("edit 1: `new` was at line 1 already, look for doubled lines",)


def test_the_applied_edits_tell_where_they_matched() -> None:
    first, second = apply(TEXT, [("line 20\nline 21", "x"), ("line 7", "y")]).applied
    assert (first.number, first.first_line, first.last_line) == (1, 20, 21)
    assert (second.number, second.first_line, second.last_line) == (2, 7, 7)
