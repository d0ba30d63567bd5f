"""`new` in the indentation of the file."""

from __future__ import annotations

import pytest

from minime_builtin_tools.edit import apply
from minime_builtin_tools.edit.indentation import consistent_tab, unit_of

OLD = "if a:\n    b()"
NEW = "if a:\n    b()\n    while c:\n        d()\ne()"


def changed(text: str, old: str, new: str) -> str:
    outcome = apply(text, [(old, new)])
    assert outcome.text is not None, outcome.refusal
    return outcome.text


def file_of(unit: str, depth: int) -> str:
    """Return a file in which `if a` stands at a depth, in a unit of indentation."""
    lines = ["def f():", *(unit * n + f"with x{n}:" for n in range(1, depth))]
    return "\n".join([*lines, unit * depth + "if a:", unit * (depth + 1) + "b()", "end()", ""])


def indented(lines: str, unit: str, depth: int) -> str:
    """Return `lines` deeper by `depth`, their four spaces a level replaced by `unit`."""
    levels = [(len(line) - len(line.lstrip())) // 4 + depth for line in lines.split("\n")]
    bare = [line.lstrip() for line in lines.split("\n")]
    return "\n".join(unit * level + line for level, line in zip(levels, bare, strict=True))


LOOSE = [
    (file_unit, model_unit, depth, sent)
    for file_unit in ("\t", "  ", "    ", "        ")
    for model_unit in ("\t", "  ", "    ", "   ")
    for depth in (1, 2, 3)
    for sent in range(depth + 2)
    if indented(OLD, model_unit, sent) not in file_of(file_unit, depth)
]


@pytest.mark.parametrize(("file_unit", "model_unit", "depth", "sent"), LOOSE)
def test_base_level_and_unit_become_those_of_the_file(
    file_unit: str, model_unit: str, depth: int, sent: int
) -> None:
    text = file_of(file_unit, depth)
    old, new = indented(OLD, model_unit, sent), indented(NEW, model_unit, sent)
    in_file = indented(OLD, file_unit, depth)
    assert changed(text, old, new) == text.replace(in_file, indented(NEW, file_unit, depth))


def test_a_single_line_shows_the_unit_by_its_file() -> None:
    text = "def f():\n\tif x:\n\t\treturn 1\n"
    assert changed(text, "    return 1", "    if y:\n        return 2") == (
        "def f():\n\tif x:\n\t\tif y:\n\t\t\treturn 2\n"
    )


def test_aligned_continuation_lines_keep_their_columns() -> None:
    text = "def f():\n    call(a,\n         b)\n"
    assert changed(text, "call(a, \n     b)", "call(a,\n     b,\n     c)") == (
        "def f():\n    call(a,\n         b,\n         c)\n"
    )


def test_a_block_cut_at_its_first_character_leaves_the_other_lines_alone() -> None:
    text = "class A:\n    def f(self):\n        return 1\n"
    old = "def f(self): \n        return 1"
    new = "def f(self):\n        x = 2\n        return x\n\n    def g(self): ..."
    assert changed(text, old, new) == (
        "class A:\n    def f(self):\n        x = 2\n        return x\n\n    def g(self): ...\n"
    )


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        # Indentation counts from the first line of `new`.
        ("x = 1\nreturn x", "        x = 1\n        return x"),
        ("if y:\n    return 2\nreturn 3", "        if y:\n            return 2\n        return 3"),
        ("\nreturn 2", "\n        return 2"),
        # Indentation counts from the margin, and the text is literally replaced.
        ("x = 1\n        return x", "        x = 1\n        return x"),
        ("if y:\n            return 2", "        if y:\n            return 2"),
        ("return 2\n\ndef g():\n    pass", "        return 2\n\ndef g():\n    pass"),
    ],
)
def test_lines_in_place_of_one_line_sent_without_its_indentation(new: str, expected: str) -> None:
    text = "class A:\n    def f(self):\n        return 1\n"
    assert changed(text, "return 1", new) == text.replace("        return 1", expected)


def test_without_any_indentation_a_changed_line_stands_where_the_old_one_stood() -> None:
    text = "def f():\n    if a:\n        b()\n    c()\n"
    assert changed(text, "if a:\nb()\nc()", "if a:\nB()\nc()") == text.replace("b()", "B()")
    assert changed(text, "if a:\nb()\nc()", "if a:\nc()") == text.replace("        b()\n", "")


@pytest.mark.parametrize("new", ["if a:\nb()\nnew()\nc()", "if a:\n    B()\nc()"])
def test_without_any_indentation_a_line_of_unknown_depth_is_refused(new: str) -> None:
    text = "def f():\n    if a:\n        b()\n    c()\n"
    outcome = apply(text, [("if a:\nb()\nc()", new)])
    assert outcome.refusal is not None
    assert "`old` is at line 2, but it came without indentation" in outcome.refusal
    assert "     3→        b()" in outcome.refusal


def test_structure_is_compared_by_level_not_by_width() -> None:
    assert consistent_tab([("", "  "), ("    ", "      "), ("", "  ")]) is not None
    assert consistent_tab([("", ""), ("    ", "\t"), ("        ", "\t\t")]) is not None
    assert consistent_tab([("  ", ""), ("  ", "    ")]) is None
    assert consistent_tab([("", "    "), ("    ", "")]) is None
    assert consistent_tab([("", ""), ("  ", "")]) is None


def test_a_tab_counts_as_eight_columns_where_the_file_mixes_it_with_spaces() -> None:
    mixed = [("    ", "    "), ("      ", "      "), ("        ", "\t"), ("          ", "\t  ")]
    assert consistent_tab(mixed) == 8


@pytest.mark.parametrize(
    ("lines", "unit"),
    [
        (["a", "\tb", "\t\tc"], "\t"),
        (["a", "  b", "    c", "  d", "e"], "  "),
        (["a", "    b", "        c", "a"], "    "),
        (["a", "b", ""], None),
        ([], None),
    ],
)
def test_the_unit_of_a_file(lines: list[str], unit: str | None) -> None:
    assert unit_of(lines) == unit
