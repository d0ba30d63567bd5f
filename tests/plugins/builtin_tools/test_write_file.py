"""Whole files: made, replaced, written in parts."""

from __future__ import annotations

import hashlib
import os
import stat

import pytest

from minime_core.events import FileDiff
from minime_core.records import Undo
from tool_caller import Caller


def test_a_new_file_is_made_with_its_folders(tools: Caller) -> None:
    result = tools("write_file", path="a/b/c.txt", content="one\ntwo\n")
    assert result.text == "[write_file: created a/b/c.txt, 2 lines]"
    path = tools.folder / "a/b/c.txt"
    assert path.read_bytes() == b"one\ntwo\n"
    assert result.diffs == (FileDiff(path=str(path), old=None, new="one\ntwo\n"),)


def test_replacing_is_told_with_what_came_and_went(tools: Caller) -> None:
    path = tools.put("a.txt", "one\ntwo\nthree\n")
    result = tools("write_file", path="a.txt", content="one\nfour\n")
    assert result.text == (
        "[write_file: replaced a.txt, +1 -2 lines; it has 2 lines now (before: 3)]"
    )
    assert path.read_text() == "one\nfour\n"
    assert result.diffs[0].old == "one\ntwo\nthree\n"


def test_a_file_is_written_in_parts(tools: Caller) -> None:
    tools("write_file", path="a.txt", content="one\n")
    result = tools("write_file", path="a.txt", content="two\n", append=True)
    assert result.text == "[write_file: added to a.txt, it has 2 lines now (before: 1)]"
    assert (tools.folder / "a.txt").read_text() == "one\ntwo\n"


def test_a_part_after_a_line_without_end_goes_on_in_it_and_that_is_told(tools: Caller) -> None:
    tools("write_file", path="a.txt", content="one")
    result = tools("write_file", path="a.txt", content="two\n", append=True)
    assert result.text.endswith("; line 1 had no newline, your text goes on in it]")
    assert (tools.folder / "a.txt").read_text() == "onetwo\n"


def test_the_first_part_may_be_called_one_too(tools: Caller) -> None:
    result = tools("write_file", path="a.txt", content="one\n", append=True)
    assert result.text == "[write_file: created a.txt, 1 line]"


def test_the_same_again_is_no_write(tools: Caller) -> None:
    tools("write_file", path="a.txt", content="one\n")
    result = tools("write_file", path="a.txt", content="one\n")
    assert result.text == "[write_file: a.txt holds exactly this already]"
    assert len(tools.undos) == 1


@pytest.mark.parametrize("append", [False, True])
@pytest.mark.parametrize(
    ("before", "codec", "note"),
    [
        (b"one\r\n", "utf-8", "; its CRLF line endings are kept"),
        ("é\n".encode("utf-16"), "utf-16-le", ""),
        ("é\n".encode("utf-8-sig"), "utf-8", ""),
        ("é\n".encode("latin-1"), "latin-1", ""),
    ],
)
def test_encoding_and_line_endings_of_the_old_text_stay(
    tools: Caller, before: bytes, codec: str, note: str, append: bool
) -> None:
    path = tools.put("a.txt", before)
    result = tools("write_file", path="a.txt", content="ü\n", append=append)
    assert result.text.endswith(note + "]")
    new = "ü\r\n" if note else "ü\n"
    bom = before[:2] if before.startswith(b"\xff\xfe") else before[: 3 * (b"\xef" in before)]
    assert path.read_bytes() == (before if append else bom) + new.encode(codec)


def test_text_that_the_old_encoding_cannot_hold_makes_it_utf_8(tools: Caller) -> None:
    path = tools.put("a.txt", "é\n".encode("latin-1"))
    result = tools("write_file", path="a.txt", content="→\n")
    assert result.text.endswith("; it is UTF-8 now, latin-1 cannot hold this text]")
    assert path.read_text("utf-8") == "→\n"


def test_such_text_is_not_added_to_it(tools: Caller) -> None:
    path = tools.put("a.txt", "é\n".encode("latin-1"))
    result = tools("write_file", path="a.txt", content="→\n", append=True)
    assert result.text == (
        "[write_file: a.txt: line 2 of the new text holds → (U+2192), which latin-1 cannot hold: "
        "leave it out; nothing was written]"
    )
    assert path.read_bytes() == b"\xe9\n"


def test_nothing_is_added_to_a_binary_file(tools: Caller) -> None:
    path = tools.put("a.bin", bytes(100))
    result = tools("write_file", path="a.bin", content="text", append=True)
    assert result.text == (
        "[write_file: a.bin: it is not text, nothing can be added to it; nothing was written]"
    )
    assert path.read_bytes() == bytes(100)


def test_a_binary_file_can_be_replaced(tools: Caller) -> None:
    path = tools.put("a.bin", bytes(100))
    result = tools("write_file", path="a.bin", content="text\n")
    assert result.text == "[write_file: replaced a.bin, which was binary; it has 1 line]"
    assert result.diffs == ()
    assert path.read_text() == "text\n"


def test_a_file_that_changed_since_it_was_read_is_not_replaced(tools: Caller) -> None:
    path = tools.put("a.txt", "one\n")
    tools("read_file", path="a.txt")
    path.write_text("the user's work\n")
    result = tools("write_file", path="a.txt", content="two\n")
    assert result.text == (
        "[write_file: a.txt changed on disk since you last read it; nothing was written. Read it "
        "again, then decide]"
    )
    assert path.read_text() == "the user's work\n"
    tools("read_file", path="a.txt")
    assert tools("write_file", path="a.txt", content="two\n").ok


def test_mode_and_link_stay(tools: Caller) -> None:
    path = tools.put("real.sh", "one\n")
    path.chmod(0o750)
    (tools.folder / "link.sh").symlink_to("real.sh")
    tools("write_file", path="link.sh", content="two\n")
    assert (tools.folder / "link.sh").is_symlink()
    assert path.read_text() == "two\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o750


def test_before_each_write_the_old_state_is_remembered(tools: Caller) -> None:
    path = tools.put("old.txt", "one\n")
    path.chmod(0o640)
    (tools.folder / "link").symlink_to("old.txt")
    tools("write_file", path="link", content="two\n")
    tools("write_file", path="new/er.txt", content="x")
    folder = os.path.realpath(tools.folder)
    written = hashlib.sha256(b"two\n").hexdigest()
    assert tools.undos == [
        Undo(path=f"{folder}/old.txt", content=b"one\n", mode=0o640, written=written),
        Undo(path=f"{folder}/new", content=None),
        Undo(
            path=f"{folder}/new/er.txt",
            content=None,
            written=hashlib.sha256(b"x").hexdigest(),
        ),
    ]


def test_the_user_is_shown_the_change_before_it_is_allowed(tools: Caller) -> None:
    path = tools.put("a.txt", "one\n")
    tool = tools.tools["write_file"]
    arguments = {"path": "a.txt", "content": "two\n", "append": True}
    diff = tool.diff(arguments, tools.context)
    assert diff == FileDiff(path=str(path), old="one\n", new="one\ntwo\n")
    assert path.read_text() == "one\n"
    assert tool.diff({"path": "/dev/null", "content": ""}, tools.context) is None


def test_a_huge_file_is_not_handed_to_the_display(tools: Caller) -> None:
    result = tools("write_file", path="a.txt", content="x" * 300_000)
    assert result.diffs == ()
    assert result.text == "[write_file: created a.txt, 1 line]"


@pytest.mark.parametrize("path", ["", ".", "sub"])
def test_a_folder_is_no_file(tools: Caller, path: str) -> None:
    (tools.folder / "sub").mkdir()
    result = tools("write_file", path=path, content="x")
    assert result.text == (
        f"[write_file: {path}: it is a directory, not a regular file; nothing was written]"
    )


def test_a_path_through_a_file_is_refused(tools: Caller) -> None:
    tools.put("file", "x")
    result = tools("write_file", path="file/inner.txt", content="x")
    assert "a part of its path is not a directory; nothing was written" in result.text
