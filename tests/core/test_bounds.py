from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from minime_core.bounds import GAP, bound

texts = st.builds(
    lambda lines, newline: newline.join(lines) * 10,
    st.lists(st.text(max_size=40), max_size=30),
    st.sampled_from(["\n", "", "\r\n"]),
)
limits = st.integers(-5, 2000)
LINE = re.compile(r"\[\.\.\. (\d+) characters, (\d+) lines left out(; look)? \.\.\.\]")


@given(texts, limits, st.sampled_from(["", "look"]))
def test_a_bound_text_is_never_longer_than_its_limit(text: str, limit: int, hint: str) -> None:
    assert len(bound(text, limit, hint)) <= max(limit, GAP + len(hint))


@given(texts, limits)
def test_a_short_text_is_left_alone(text: str, limit: int) -> None:
    assert (bound(text, limit) == text) == (len(text) <= limit)


@given(texts, st.integers(GAP, 2000), st.sampled_from(["", "look"]))
def test_what_is_shown_is_the_beginning_and_the_end(text: str, limit: int, hint: str) -> None:
    shown = bound(text, limit, hint)
    if shown == text:
        return
    match = LINE.search(shown)
    assert match
    head, tail = shown[: match.start()], shown[match.end() :].removeprefix("\n")
    assert text.startswith((head, head.removesuffix("\n")))
    assert text.endswith(tail)
    left_out = len(text) - len(tail) - int(match[1])
    assert left_out in (len(head), len(head) - 1)
    assert text.count("\n", left_out, len(text) - len(tail)) == int(match[2])


def test_a_text_of_lines_is_cut_between_lines() -> None:
    text = "\n".join(f"line {n}" for n in range(1000))
    head, _, rest = bound(text, 500, "read the rest").partition("\n[... ")
    middle, _, tail = rest.partition(" ...]\n")
    assert text.startswith(head + "\n")
    assert text.endswith("\n" + tail)
    assert middle.endswith(" lines left out; read the rest")
    assert 150 < len(head) <= 207
    assert 150 < len(tail) <= 207


def test_one_endless_line_is_cut_anywhere() -> None:
    assert bound("a" * 500 + "b" * 500, 200) == (
        "a" * 60 + "\n[... 880 characters, 0 lines left out ...]\n" + "b" * 60
    )


def test_with_no_room_only_what_is_left_out_is_told() -> None:
    assert bound("x\n" * 100, 0) == "[... 200 characters, 100 lines left out ...]"
