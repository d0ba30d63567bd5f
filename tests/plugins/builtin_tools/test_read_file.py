"""What the model gets to see of files and folders."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minime_builtin_tools.edit import apply
from minime_builtin_tools.edit.document import Document
from minime_builtin_tools.excerpt import excerpt
from tool_caller import Caller


def read(tools: Caller, name: str, **arguments: object) -> str:
    return tools("read_file", path=name, **arguments).text


def test_a_file_is_shown_as_it_is(tools: Caller) -> None:
    tools.put("a.py", "def f():\n\treturn 1\n")
    assert read(tools, "a.py") == "def f():\n\treturn 1"


def test_lines_end_as_they_do_for_edit_file(tools: Caller) -> None:
    tools.put("a.txt", b"lf\ncrlf\r\ncr\rform\x0cfeed\xc2\x85next line")
    assert read(tools, "a.txt", numbered=True) == (
        "     1→lf\n     2→crlf\n     3→cr\n     4→form\x0cfeed\x85next line"
    )


def test_numbered_lines_look_as_in_the_diff_of_edit_file(tools: Caller) -> None:
    text = "one\ntwo\nthree\n"
    tools.put("a.txt", text)
    diff = apply(text, [("two", "TWO")]).diff.splitlines()
    numbered = read(tools, "a.txt", numbered=True).splitlines()
    assert numbered[0] == diff[0] == "     1→one"
    assert numbered[2] == diff[-1]


def test_numbered_lines_can_be_copied_into_an_edit(tools: Caller) -> None:
    path = tools.put("a.txt", "one\ntwo\nthree\n")
    shown = read(tools, "a.txt", numbered=True)
    tools("edit_file", path="a.txt", edits=[{"old": shown, "new": "four"}])
    assert path.read_text() == "four\n"


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        (2, 3, "2\n3\n[read_file: lines 2-3 of 9; next: start=4]"),
        (8, None, "8\n9\n[read_file: lines 8-9 of 9]"),
        (8, 100, "8\n9\n[read_file: lines 8-9 of 9]"),
        (None, 1, "1\n[read_file: lines 1-1 of 9; next: start=2]"),
        (-2, None, "8\n9\n[read_file: lines 8-9 of 9]"),
        (-100, -8, "1\n2\n[read_file: lines 1-2 of 9; next: start=3]"),
        (0, 0, "1\n2\n3\n4\n5\n6\n7\n8\n9"),
        (10, None, "[read_file: a.txt has only 9 lines]"),
        (5, 2, "[read_file: start=5 is after end=2; swap them]"),
    ],
)
def test_a_part_is_shown_with_what_comes_next(
    tools: Caller, start: int | None, end: int | None, expected: str
) -> None:
    tools.put("a.txt", "".join(f"{n}\n" for n in range(1, 10)))
    wanted = {"start": start, "end": end}
    given = {key: value for key, value in wanted.items() if value is not None}
    assert read(tools, "a.txt", **given) == expected


def test_of_a_long_file_the_beginning_and_the_end_are_shown_and_how_to_go_on(
    tools: Caller,
) -> None:
    tools.max_output = 1_000
    lines = [f"line {n}" for n in range(1, 1001)]
    tools.put("a.txt", "\n".join(lines))
    shown = read(tools, "a.txt").splitlines()
    (gap,) = [line for line in shown if line.startswith("[")]
    match = re.fullmatch(r"\[... lines (\d+)-(\d+) of 1000 left out; next: start=(\d+) ...\]", gap)
    assert match
    first, last, following = map(int, match.groups())
    assert 20 < first == following
    assert shown == [*lines[: first - 1], gap, *lines[last:]]
    assert last < 990
    assert read(tools, "a.txt", start=first).startswith(f"line {first}\n")


def test_a_long_line_is_cut_and_the_way_to_the_rest_is_told(tools: Caller) -> None:
    tools.put("a.txt", "short\n" + "x" * 5_000 + "\n")
    assert read(tools, "a.txt") == (
        f"short\n{'x' * 2000}… (+3000 characters)\n[read_file: line 2 cut at 2000 characters, see "
        "the rest with bash: sed -n 2p FILE | cut -c2001-]"
    )
    rest = tools("bash", command="sed -n 2p a.txt | cut -c2001-").text
    assert rest.startswith("x" * 3000 + "\n")


lines_of_any_length = st.lists(st.integers(0, 3_000).map(lambda n: "x" * n), min_size=1)


@given(lines_of_any_length, st.integers(260, 4_000), st.booleans(), st.data())
def test_an_excerpt_fits_its_room_and_tells_what_is_missing(
    lines: list[str], room: int, is_numbered: bool, data: st.DataObject
) -> None:
    first = data.draw(st.integers(1, len(lines)))
    last = data.draw(st.integers(first, len(lines)))
    found = excerpt(lines, first, last, room=room, is_numbered=is_numbered)
    assert len(found.text) <= room
    shown = found.text.split("\n")
    if found.gap is None:
        assert len(shown) == last - first + 1
    else:
        start, end = found.gap
        # The next call goes on from there, and comes further.
        assert first < start <= end <= last
        assert len(shown) == last - first + 1 - (end - start + 1) + 1


@pytest.mark.parametrize(
    ("data", "note"),
    [
        ("é\n".encode("latin-1"), "not valid UTF-8, read and written as latin-1"),
        ("é\n".encode("utf-16"), "UTF-16-LE"),
    ],
)
def test_an_encoding_that_is_not_utf_8_is_told(tools: Caller, data: bytes, note: str) -> None:
    tools.put("a.txt", data)
    assert read(tools, "a.txt") == f"é\n[read_file: {note}]"


def test_an_empty_file_is_called_empty(tools: Caller) -> None:
    tools.put("a.txt", "")
    assert read(tools, "a.txt") == "[read_file: a.txt is empty]"


def test_a_binary_file_is_refused_by_its_content_with_kind_and_size(tools: Caller) -> None:
    tools.put("picture.txt", b"\x89PNG\r\n\x1a\n\0\0\0" + bytes(2000))
    assert read(tools, "picture.txt") == (
        "[read_file: picture.txt is not text but PNG image, 2,011 bytes; look at it with bash]"
    )


def test_text_with_the_name_of_a_picture_is_read(tools: Caller) -> None:
    tools.put("picture.png", "text\n")
    assert read(tools, "picture.png") == "text"


def test_a_folder_is_listed(tools: Caller) -> None:
    tools.put("sub/inner.txt", "")
    tools.put("b.txt", "")
    tools.put("two\nlines", "")
    (tools.folder / "link").symlink_to("sub")
    assert read(tools, ".") == (
        "'two\\nlines'\nb.txt\nlink/\nsub/\n[read_file: a folder with 4 entries]"
    )


def test_an_empty_folder_is_called_empty(tools: Caller) -> None:
    assert read(tools, ".") == "[read_file: the folder is empty]"


def test_a_folder_of_many_names_is_cut(tools: Caller) -> None:
    tools.max_output = 500
    for number in range(200):
        tools.put(f"file{number:03}", "")
    shown = read(tools, ".").splitlines()
    assert shown[0] == "file000"
    assert shown[-2:] == ["file199", "[read_file: a folder with 200 entries]"]
    assert "left out; list a part with bash: ls PATTERN" in "\n".join(shown)


def test_home_is_understood(tools: Caller, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "a.txt").write_text("mine\n")
    assert read(tools, "~/a.txt") == "mine"


def test_a_link_to_a_file_is_followed(tools: Caller) -> None:
    tools.put("a.txt", "text\n")
    (tools.folder / "link").symlink_to("a.txt")
    assert read(tools, "link") == "text"


@given(st.text(min_size=1))
def test_the_lines_of_any_text_are_those_of_the_edit_engine(text: str) -> None:
    lines = Document(text).contents
    found = excerpt(lines, 1, len(lines), room=10**9, is_numbered=False)
    assert found.text.split("\n") == [line[:2000] for line in lines]


any_number = st.integers() | st.integers(-5, 5)


@given(any_number, any_number, st.booleans())
def test_any_line_numbers_have_an_answer(start: int, end: int, is_numbered: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        tools = Caller(Path(folder), max_output=500)
        tools.put("a.txt", "one\ntwo\nthree\n")
        assert read(tools, "a.txt", start=start, end=end, numbered=is_numbered)


def test_reading_needs_no_permission_to_write(tools: Caller) -> None:
    path = tools.put("a.txt", "text\n")
    path.chmod(0o400)
    assert read(tools, "a.txt") == "text"
    assert os.stat(path).st_mode & 0o777 == 0o400
