"""What a model gets to see of the bytes that a command wrote."""

from __future__ import annotations

import tempfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minime_builtin_tools.shell import output
from minime_builtin_tools.shell.output import Output


def seen(data: bytes) -> str:
    with tempfile.TemporaryFile(buffering=0) as file:
        file.write(data)
        return Output(file, print).read_ends()[0]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("plain\n", "plain\n"),
        ("\x1b[1;31mred\x1b[0m\n", "red\n"),
        ("\x1b]0;title\x07shown\n", "shown\n"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\\n", "link\n"),
        ("\x1b]never ends\n", "never ends\n"),
        ("10%\r50%\r100%\ndone\n", "100%\ndone\n"),
        ("windows\r\nlines\r\n", "windows\nlines\n"),
        ("no newline\r", "no newline"),
        ("\r\r\n", "\n"),
    ],
)
def test_colours_and_progress_bars_are_left_out(written: str, expected: str) -> None:
    assert seen(written.encode()) == expected


@given(st.text(st.characters(exclude_characters="\r\x1b", exclude_categories=["Cs"])))
def test_plain_text_is_seen_as_it_is(text: str) -> None:
    assert seen(text.encode()) == text


@given(st.lists(st.sampled_from([b"\x1b", b"]", b"[", b"0m", b"\r", b"\n", b"\x07", b"\xff"])))
def test_any_bytes_become_text_of_as_many_lines(pieces: list[bytes]) -> None:
    data = b"".join(pieces)
    text = seen(data)
    assert "\r" not in text
    assert text.count("\n") == data.count(b"\n")


@given(st.lists(st.binary(max_size=20), max_size=10))
def test_what_is_shown_live_is_all_the_text_in_its_order(pieces: list[bytes]) -> None:
    shown: list[str] = []
    with tempfile.TemporaryFile(buffering=0) as file:
        live = Output(file, shown.append)
        for piece in pieces:
            file.write(piece)
            live.show_new()
    whole = b"".join(pieces)
    # Of a character that is not complete nothing is shown yet.
    assert whole.decode("utf-8", "replace").startswith("".join(shown))


def test_what_is_shown_live_has_a_limit() -> None:
    shown: list[str] = []
    with tempfile.TemporaryFile(buffering=0) as file:
        live = Output(file, shown.append)
        file.write(b"x" * (2 * output.MAX_LIVE))
        for _ in range(20):
            live.show_new()
    assert sum(map(len, shown)) == output.MAX_LIVE
