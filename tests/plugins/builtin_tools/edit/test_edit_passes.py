"""Where `old` is found, how it is written, and where it must not be found."""

from __future__ import annotations

import pytest

from minime_builtin_tools.edit import EditOutcome, Pass, apply

CODE = """\
class Shop:
    def open(self):
        self.lights(True)
        return 1

    def close(self):

        if self.late:
            self.lights(False)
"""


def edit(text: str, old: str, new: str) -> EditOutcome:
    return apply(text, [(old, new)])


def changed(text: str, old: str, new: str) -> str:
    outcome = edit(text, old, new)
    assert outcome.text is not None, outcome.refusal
    return outcome.text


def refused(text: str, old: str, new: str) -> str:
    outcome = edit(text, old, new)
    assert outcome.refusal is not None, outcome.text
    assert outcome.text is None
    return outcome.refusal


@pytest.mark.parametrize(
    ("old", "found_by", "note"),
    [
        ("        return 1", Pass.EXACT, None),
        ("return 1", Pass.EXACT, None),
        ("open(self):\r\n        self.lights", Pass.LINE_ENDINGS, "line endings"),
        ("\ufeffclass Shop:", Pass.LINE_ENDINGS, "the byte order mark"),
        ("        return 1  ", Pass.TRAILING_SPACE, "trailing white space"),
        ("    def close(self):\n \n        if", Pass.EXACT, "nothing: not found"),
        ("    def close(self):\n \n        if self.late:", Pass.TRAILING_SPACE, None),
        ("\n\n    def open(self):\n", Pass.BLOCK_EDGES, "blank lines around it"),
        ("      return 1", Pass.BLOCK_EDGES, "indentation"),
        ("\treturn 1", Pass.BLOCK_EDGES, "indentation"),
        ("  def open(self):\n    self.lights(True)", Pass.INDENTATION, "indentation"),
        ("\tdef open(self):\n\t\tself.lights(True)", Pass.INDENTATION, "indentation"),
    ],
)
def test_the_strictest_pass_that_finds_something_wins(
    old: str, found_by: Pass, note: str | None
) -> None:
    outcome = edit(CODE, old, "changed")
    if note == "nothing: not found":
        assert outcome.refusal is not None
        return
    (applied,) = outcome.applied
    assert applied.found_by == found_by
    if note:
        assert outcome.notes == (f"edit 1 matched ignoring {note}",)


def test_an_exact_match_is_replaced_literally_inside_a_line() -> None:
    assert changed("a = compute(b)\n", "compute(b", "other(c") == "a = other(c)\n"


def test_exact_wins_over_the_same_lines_in_another_indentation() -> None:
    text = "if a:\n    x()\n    y()\nif b:\n        x()\n        y()\n"
    assert changed(text, "    x()\n    y()\n", "    z()\n") == (
        "if a:\n    z()\nif b:\n        x()\n        y()\n"
    )


@pytest.mark.parametrize(
    ("text", "old"),
    [
        # Twice, exactly and by each loose pass.
        ("a = 1\nb\na = 1\n", "a = 1"),
        ("aaa\n", "aa"),
        ("a()\n-\na()", "a()\n"),
        ("a()\n-\na()", "a()\r\n"),
        ("x(\r\n  1)\r\n-\r\nx(\r\n  1)\r\n", "x(\n  1)"),
        ("x()\ny()\n-\nx()\ny()\n", "x() \ny()"),
        ("x()\n-\nx()\n", "\nx()\n\n"),
        ("  x()\n-\n  x()\n", "    x()"),
        # Two blocks that only indentation tells apart.
        ("if a:\n    x()\n    y()\nif b:\n        x()\n        y()\n", "  x()\n  y()"),
        ("if a:\n    x()\n    y()\n-\nif a:\n    x()\ny()\n", "if a:\n  x()\n  y()"),
        # Literally in a piece of one line, loosely all of another line.
        ("def f():\n  return x\ndef g():\n        return x + 1\n", "    return x"),
        ("x = 1\ny = x = 1 + z\n", "x = 1 "),
        ("if a:\n  foo \nif b:\n    if c:\n      foo\n", "    foo\n"),
        ("    foo\nfoo  \n", "foo\n"),
        ("max = 1\ny = 2\n    x = 1\n    y = 2\n", "x = 1\ny = 2"),
    ],
)
def test_two_places_are_refused(text: str, old: str) -> None:
    assert "`old` fits " in refused(text, old, "new")


@pytest.mark.parametrize(
    ("text", "old"),
    [
        # Another structure.
        ("if a:\n    x()\ny()\n", "if a:\n  x()\n  y()"),
        ("if a:\n    x()\n    y()\n", "if a:\n    x()\ny()"),
        # Loose passes compare whole lines.
        ("max = 10\n", "  x = 1"),
        ("    return x + 1  # two\n", "\treturn x + 1"),
        # Tabs and other spaces inside a line are content.
        ("a =\t1\n", "a = 1"),
        ("a = 1\n", "a\u00a0= 1"),
        ("a\u200b = 1\n", "a = 1"),
        ("a  = 1\n", "a = 1"),
        ("\u00a0a\n", "  a"),
        ("a\x0cb\n", "a\nb"),
        ("a\u2028b\n", "a\nb"),
        # Blank lines inside a block count.
        ("a()\n\nb()\n", "a()\nb()"),
        ("a()\nb()\n", "a()\n\nb()"),
    ],
)
def test_what_is_not_the_same_is_not_found(text: str, old: str) -> None:
    refused(text, old, "new")


def test_blank_lines_of_the_file_around_a_block_stay() -> None:
    assert changed("a\n\n\nb\n\n\nc\n", "\nb  \n\n\n\n", "\nB\n\n\n\n") == "a\n\n\nB\n\n\nc\n"


def test_a_deleted_block_takes_its_line_endings_along() -> None:
    assert changed("a\n    b\n    c\nd\n", "  b\n  c\n", "") == "a\nd\n"


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_new_lines_get_the_ending_of_the_file(ending: str) -> None:
    text = ending.join(["a", "b", "c", ""])
    assert changed(text, "b", "x\ny\r\nz") == ending.join(["a", "x", "y", "z", "c", ""])
    assert changed(text, "a\nb\n", "a\nx\nb\n") == ending.join(["a", "x", "b", "c", ""])


def test_in_a_mixed_file_each_line_keeps_its_ending_and_new_ones_follow_their_neighbour() -> None:
    text = "a\r\nb\nc\r\nd\re\n"
    assert changed(text, "a\nb\nc", "a\nb\nx\nc") == "a\r\nb\nx\nc\r\nd\re\n"
    assert changed(text, "c\nd\ne", "c\nx\nd\ne") == "a\r\nb\nc\r\nx\r\nd\re\n"
    assert changed(text, "  c \n  d ", "  c \n  D ") == "a\r\nb\nc\r\nD\re\n"


@pytest.mark.parametrize(
    ("text", "old", "new", "expected"),
    [
        ("a\nb\n", "b\n", "c", "a\nc\n"),
        ("a\r\nb\r\n", "b\n", "c", "a\r\nc\r\n"),
        ("a\nb", "b", "c", "a\nc"),
        ("a\nb", "b\n", "c\nd\n", "a\nc\nd"),
        ("a\nb\n", "\nb\n", "", "a\n"),
        ("a", "a", "b\r\nc", "b\r\nc"),
        ("a\n", "a\n", "", ""),
    ],
)
def test_the_final_newline_stays_as_it_was(text: str, old: str, new: str, expected: str) -> None:
    assert changed(text, old, new) == expected


def test_lines_that_stay_keep_their_bytes_in_a_loose_match() -> None:
    text = "def f():  \n\tx = 1\t\n\ty = 2\n"
    new = "def f():\n    x = 1\n    y = 3"
    assert changed(text, "def f():\n    x = 1\n    y = 2", new) == (
        "def f():  \n\tx = 1\t\n\ty = 3\n"
    )


def test_edits_are_resolved_against_the_original() -> None:
    outcome = apply("a\nb\nc\n", [("c", "a"), ("a", "b"), ("b", "c")])
    assert outcome.text == "b\nc\na\n"


def test_two_edits_may_touch_but_not_overlap() -> None:
    assert apply("abcd", [("ab", "1"), ("cd", "2")]).text == "12"
    refusal = apply("abcd\n", [("abc", "1"), ("cd", "2")]).refusal
    assert refusal is not None
    assert "edits 1 and 2 overlap at line 1. Join them into one edit" in refusal
    assert apply("abcd\n", [("abc", "1"), ("abc", "2")]).failed == (2,)


def test_one_edit_that_fails_stops_all() -> None:
    outcome = apply("a\nb\n", [("a", "x"), ("zzz", "y")])
    assert outcome.text is None
    assert outcome.failed == (2,)


def test_a_hundred_edits_are_applied() -> None:
    text = "".join(f"line <{n}>\n" for n in range(100))
    outcome = apply(text, [(f"<{n}>", f"({n})") for n in range(100)])
    assert outcome.text == text.replace("<", "(").replace(">", ")")
