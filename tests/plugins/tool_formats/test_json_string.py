from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from format_tools import pieces_of
from minime_tool_formats.json_string import StringDecoder


def decoded(*pieces: str) -> tuple[str, bool]:
    decoder = StringDecoder()
    return "".join([decoder.feed(piece) for piece in pieces]), decoder.is_closed


@given(st.text(), st.booleans(), st.data())
def test_a_string_in_pieces_is_what_json_says(
    text: str, is_ascii: bool, data: st.DataObject
) -> None:
    written = json.dumps(text, ensure_ascii=is_ascii)[1:]
    assert decoded(*data.draw(pieces_of(written))) == (text, True)


@given(st.text('\\u"0dDcC8fnx\n', max_size=20), st.data())
def test_pieces_make_no_difference_whatever_is_written(text: str, data: st.DataObject) -> None:
    whole = decoded(text)
    assert decoded(*data.draw(pieces_of(text))) == whole
    whole[0].encode()


def test_each_character_is_known_as_soon_as_it_is_written() -> None:
    decoder = StringDecoder()
    pieces = ["a", "\\", "n", "\\u00", "e9", "\\ud83d", "\\ude00", '"', "x"]
    assert [decoder.feed(piece) for piece in pieces] == [
        "a", "", "\n", "", "\xe9", "", "\N{GRINNING FACE}", "", "",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("a\nb", "a\nb"),
        (r"\q", r"\q"),
        (r"\uZZZZ", r"\uZZZZ"),
        (r"\ud83d", "\N{REPLACEMENT CHARACTER}"),
        (r"\ud83dx", "\N{REPLACEMENT CHARACTER}x"),
        (r"\ud83d\n", "\N{REPLACEMENT CHARACTER}\n"),
        (r"\ude00", "\N{REPLACEMENT CHARACTER}"),
    ],
)
def test_what_is_no_escape_is_kept_or_replaced(written: str, text: str) -> None:
    assert decoded(f'{written}"') == (text, True)


def test_a_cut_string_gives_what_was_written_of_it() -> None:
    assert decoded("ab\\u00") == ("ab", False)
