"""Bytes to text and back."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minime_builtin_tools.edit import CannotEncode, NotText, TextFile, decode

ENCODED = st.one_of(
    st.text().map(str.encode),
    st.text().map(lambda text: codecs.BOM_UTF8 + text.encode()),
    st.text().map(lambda text: codecs.BOM_UTF16_LE + text.encode("utf-16-le")),
    st.text().map(lambda text: codecs.BOM_UTF16_BE + text.encode("utf-16-be")),
    st.binary(),
    st.binary().map(lambda data: b"plain text, then " + data),
)


@given(ENCODED)
def test_what_is_text_comes_back_byte_for_byte(data: bytes) -> None:
    try:
        file = decode(data)
    except NotText:
        return
    assert file.encode(file.text) == data


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1))
def test_utf8_and_utf16_with_a_mark_are_recognised(text: str) -> None:
    text = text.removeprefix("\ufeff")
    assert decode(codecs.BOM_UTF8 + text.encode()) == TextFile(text, "utf-8", codecs.BOM_UTF8)
    assert decode(codecs.BOM_UTF16_LE + text.encode("utf-16-le")).text == text
    assert decode(codecs.BOM_UTF16_BE + text.encode("utf-16-be")).text == text


def test_bytes_that_are_not_utf8_are_latin1_and_that_is_stated() -> None:
    file = decode("Grüße\r\n".encode("latin-1"))
    assert file.text == "Grüße\r\n"
    assert file.note == "not valid UTF-8, read and written as latin-1"
    assert decode(b"plain").note is None


def test_line_endings_are_part_of_the_text() -> None:
    assert decode(b"a\r\nb\rc\n").text == "a\r\nb\rc\n"


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "PNG image"),
        (b"PK\x03\x04\x14\x00\x00\x00", "ZIP archive"),
        (b"\x7fELF\x02\x01\x01\x00", "ELF program"),
        (b"%PDF-1.7\nall of it ASCII", "PDF document"),
        (b"text with a NUL \x00 in it", "binary data"),
        (bytes(range(1, 256)) * 4, "binary data"),
        (codecs.BOM_UTF16_LE + "a\0b".encode("utf-16-le"), "binary data"),
        ("no mark".encode("utf-16-le"), "binary data"),
    ],
)
def test_binary_is_refused_by_its_content(data: bytes, kind: str) -> None:
    with pytest.raises(NotText, match=kind):
        decode(data)


@pytest.mark.parametrize(
    "data", [b"", b"\x1b[31mred\x1b[0m\n", b"a\x01b\x02 in UTF-8", b"MZ is ok"]
)
def test_odd_text_is_still_text(data: bytes) -> None:
    assert decode(data).text == data.decode()


def test_a_character_that_the_encoding_lacks_is_refused_with_its_line() -> None:
    file = decode(b"caf\xe9\n")
    with pytest.raises(CannotEncode, match=r"line 2 .* € \(U\+20AC\), which latin-1 cannot hold"):
        file.encode("café\n5 €\n")


@pytest.mark.parametrize("bad", ["\ud800", "\0"])
def test_what_no_text_file_can_hold_is_refused(bad: str) -> None:
    with pytest.raises(CannotEncode, match="line 1"):
        decode(b"text").encode(bad)
