"""Properties of the engine for any text and any edit."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from minime_builtin_tools.edit import apply

# Few characters, so that edits fit often, and all the awkward ones.
AWKWARD = "ab:{\n\n \t\r\ufeff\u00a0-+1→|"
texts = st.text(st.sampled_from(AWKWARD), max_size=40)
plain = st.text(st.sampled_from("abcd: \n"), max_size=40)
lines = st.lists(st.sampled_from(["a", "b", "if a:", "    a", "\ta", "  b", "", " ", "12→a", "-a"]))


@st.composite
def text_and_piece(draw: st.DrawFn, source: st.SearchStrategy[str]) -> tuple[str, str]:
    text = draw(source.filter(bool))
    start = draw(st.integers(0, len(text) - 1))
    # A piece that is long enough is rarely there twice.
    least = min(start + 4, len(text))
    return text, text[start : draw(st.integers(least, len(text)) | st.integers(start, len(text)))]


def occurrences(text: str, piece: str) -> int:
    return sum(text.startswith(piece, at) for at in range(len(text)))


@given(texts, st.lists(st.tuples(texts, texts), max_size=4))
def test_no_edit_crashes_and_each_has_an_answer(text: str, edits: list[tuple[str, str]]) -> None:
    outcome = apply(text, edits)
    assert (outcome.text is None) == (outcome.refusal is not None)
    report = outcome.report("f")
    assert report.startswith("[edit_file: ")


@given(st.text(max_size=60), st.text(max_size=30), st.text(max_size=30))
def test_no_characters_crash(text: str, old: str, new: str) -> None:
    apply(text, [(old, new)])
    apply(old + text + old, [(old, new)])


@given(text_and_piece(plain), plain)
def test_a_unique_exact_match_is_replaced_as_str_replace_does(
    source: tuple[str, str], new: str
) -> None:
    text, old = source
    assume(old.strip(" \n") and occurrences(text, old) == 1)
    start = text.index(old)
    head = text[text.rfind("\n", 0, start) + 1 : start]
    # A cut indentation is the one thing that is not taken literally.
    assume(head.strip(" ") or not head)
    outcome = apply(text, [(old, new)])
    if outcome.text is None:
        assert outcome.refusal is not None
        assert old == new or "fits" in outcome.refusal or "would not change" in outcome.refusal
        return
    expected = text.replace(old, new)
    if text.endswith("\n") and expected and not expected.endswith("\n"):
        expected += "\n"
    assert outcome.text == expected


@given(text_and_piece(texts), texts)
def test_what_surrounds_an_exact_match_is_untouched(source: tuple[str, str], new: str) -> None:
    text, old = source
    assume(occurrences(text, old) == 1 and "\r" not in text)
    outcome = apply(text, [(old, new)])
    if outcome.text is not None:
        before, after = text.split(old)
        assert outcome.text.startswith(before.rstrip(" \t"))
        assert outcome.text.endswith(after)


@given(
    lines, lines, lines, st.lists(st.sampled_from(["a", "  a", "b ", "\tb", "12→a"]), min_size=1)
)
def test_lines_outside_of_the_match_stay_byte_for_byte(
    before: list[str], block: list[str], after: list[str], new: list[str]
) -> None:
    endings = ["\r\n", "\n", "\r"]
    ended = [line + endings[at % 3] for at, line in enumerate([*before, *block, *after])]
    text = "".join(ended)
    outcome = apply(text, [("\n".join(block), "\n".join(new))])
    if outcome.text is None:
        return
    (edit,) = outcome.applied
    kept_before = "".join(ended[: edit.first_line - 1])
    kept_after = "".join(ended[edit.last_line :])
    assert outcome.text.startswith(kept_before)
    assert outcome.text.endswith(kept_after)


@given(lines, st.integers(0, 9), st.integers(1, 5), st.sampled_from(["  ", "\t", "        "]))
def test_a_match_that_ignores_indentation_is_at_the_only_place_with_these_lines(
    source: list[str], start: int, size: int, shift: str
) -> None:
    block = source[start : start + size]
    text = "\n".join(source)
    outcome = apply(text, [("\n".join(shift + line for line in block), "new")])
    if outcome.text is None or not any("indentation" in note for note in outcome.notes):
        return
    (edit,) = outcome.applied
    bare = [line.strip(" \t") for line in block]
    while bare and not bare[0]:
        del bare[0]
    while bare and not bare[-1]:
        del bare[-1]
    stripped = [line.strip(" \t") for line in source]
    places = [at for at in range(len(stripped)) if stripped[at : at + len(bare)] == bare]
    assert len(places) == 1
    assert edit.first_line - 1 <= places[0] < edit.last_line
