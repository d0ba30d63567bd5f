"""The tool around the edit engine: real files, stale reads, what is remembered."""

from __future__ import annotations

import os
import stat

from minime_core.events import FileDiff
from minime_core.tools import ToolResult
from tool_caller import Caller


def edit(tools: Caller, *edits: tuple[str, str], path: str = "a.py", **more: bool) -> ToolResult:
    return tools("edit_file", path=path, edits=[{"old": o, "new": n} for o, n in edits], **more)


def test_a_file_is_edited_and_the_result_proves_it(tools: Caller) -> None:
    path = tools.put("a.py", "a = 1\nb = 2\n")
    result = edit(tools, ("b = 2", "b = 3"))
    assert result.text == (
        "[edit_file: 1 edit applied to a.py]\n     1→a = 1\n-     →b = 2\n+    2→b = 3"
    )
    assert result.ok
    assert result.diffs == (FileDiff(path=str(path), old="a = 1\nb = 2\n", new="a = 1\nb = 3\n"),)
    assert path.read_text() == "a = 1\nb = 3\n"


def test_a_refusal_changes_nothing(tools: Caller) -> None:
    path = tools.put("a.py", "a = 1\na = 1\n")
    result = edit(tools, ("a = 1", "a = 2"))
    assert not result.ok
    assert result.text.startswith("[edit_file: `old` fits lines 1 and 2; nothing was written.")
    assert path.read_text() == "a = 1\na = 1\n"
    assert tools.undos == []


def test_a_file_that_was_never_read_can_be_edited(tools: Caller) -> None:
    path = tools.put("a.py", "if x:\n\ty = 1\n")
    result = edit(tools, ("if x:\n    y = 1", "if x:\n    y = 2"))
    assert "matched ignoring indentation" in result.text
    assert path.read_text() == "if x:\n\ty = 2\n"


def test_a_file_that_changed_since_it_was_read_is_refused(tools: Caller) -> None:
    path = tools.put("a.py", "a = 1\n")
    tools("read_file", path="a.py")
    path.write_text("a = 1\nthe user was here\n")
    result = edit(tools, ("a = 1", "a = 2"))
    assert result.text == (
        "[edit_file: a.py changed on disk since you last read it; nothing was written. Read it "
        "again, then edit]"
    )
    tools("read_file", path="a.py")
    assert edit(tools, ("a = 1", "a = 2")).ok


def test_a_file_that_was_touched_but_holds_the_same_is_not_stale(tools: Caller) -> None:
    path = tools.put("a.py", "a = 1\n")
    tools("read_file", path="a.py")
    path.unlink()
    tools.put("a.py", "a = 1\n")
    os.utime(path, (1, 1))
    assert edit(tools, ("a = 1", "a = 2")).ok


def test_our_own_writes_are_known(tools: Caller) -> None:
    tools("write_file", path="a.py", content="a = 1\n")
    assert edit(tools, ("a = 1", "a = 2")).ok
    assert edit(tools, ("a = 2", "a = 3")).ok


def test_what_a_command_changed_has_to_be_read_again(tools: Caller) -> None:
    tools("write_file", path="a.py", content="a = 1\nb = 1\n")
    tools("bash", command="sed -i s/b/c/ a.py")
    assert "changed on disk" in edit(tools, ("a = 1", "a = 2")).text


def test_a_stale_read_through_a_link_is_noticed(tools: Caller) -> None:
    path = tools.put("a.py", "a = 1\n")
    (tools.folder / "link.py").symlink_to("a.py")
    tools("read_file", path="link.py")
    path.write_text("a = 1\n#\n")
    assert "changed on disk" in edit(tools, ("a = 1", "a = 2")).text


def test_a_dry_run_writes_nothing(tools: Caller) -> None:
    path = tools.put("a.py", "a = 1\n")
    result = edit(tools, ("a = 1", "a = 2"), dry_run=True)
    assert result.text.startswith(
        "[edit_file: 1 edit would be applied to a.py, nothing was written (dry run)]"
    )
    assert path.read_text() == "a = 1\n"
    assert (tools.undos, result.diffs) == ([], ())


def test_what_was_there_is_remembered(tools: Caller) -> None:
    path = tools.put("a.py", b"\xef\xbb\xbfa = 1\r\n")
    path.chmod(0o755)
    edit(tools, ("a = 1", "a = 2"))
    (undo,) = tools.undos
    assert (undo.path, undo.content, undo.mode) == (
        os.path.realpath(path),
        b"\xef\xbb\xbfa = 1\r\n",
        0o755,
    )
    assert path.read_bytes() == b"\xef\xbb\xbfa = 2\r\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o755


def test_the_encoding_is_told(tools: Caller) -> None:
    path = tools.put("a.py", "é = 1\n".encode("latin-1"))
    result = edit(tools, ("é = 1", "é = 2"))
    assert result.text.endswith("\n[edit_file: not valid UTF-8, read and written as latin-1]")
    assert path.read_bytes() == b"\xe9 = 2\n"


def test_a_character_that_the_encoding_lacks_is_refused(tools: Caller) -> None:
    path = tools.put("a.py", "é = 1\n".encode("latin-1"))
    result = edit(tools, ("é = 1", "→ = 1"))
    assert "which latin-1 cannot hold: leave it out; nothing was written]" in result.text
    assert path.read_bytes() == b"\xe9 = 1\n"


def test_a_binary_file_is_refused(tools: Caller) -> None:
    tools.put("a.py", b"\x7fELF\0\0")
    assert edit(tools, ("a", "b")).text == (
        "[edit_file: a.py is not text but ELF program; nothing was written]"
    )


def test_an_empty_old_is_refused(tools: Caller) -> None:
    tools.put("a.py", "a = 1\n")
    result = edit(tools, ("", "b"))
    assert result.text.startswith("[edit_file: `old` is empty, but the file is not;")


def test_a_hundred_edits_in_one_call(tools: Caller) -> None:
    path = tools.put("a.py", "".join(f"line_{n} = 0\n" for n in range(100)))
    result = edit(tools, *((f"line_{n} = 0\n", f"line_{n} = 1\n") for n in range(100)))
    assert result.ok
    assert path.read_text() == "".join(f"line_{n} = 1\n" for n in range(100))


def test_edits_that_come_as_text_are_taken_and_that_is_told(tools: Caller) -> None:
    path = tools.put("a.py", "a = 1\n")
    result = tools("edit_file", path="a.py", edits='[{"old": "a = 1", "new": "a = 2"}]')
    assert result.text.endswith("\n[edit_file: `edits` came as text; send a list]")
    assert result.ok
    assert path.read_text() == "a = 2\n"


def test_a_single_edit_instead_of_a_list_is_taken_and_that_is_told(tools: Caller) -> None:
    path = tools.put("a.py", "a = 1\n")
    result = tools("edit_file", path="a.py", edits={"old": "a = 1", "new": "a = 2"})
    assert result.text.endswith("\n[edit_file: `edits` came as one object; send a list]")
    assert path.read_text() == "a = 2\n"


def test_edits_of_no_known_shape_are_refused_with_the_right_one(tools: Caller) -> None:
    tools.put("a.py", "a = 1\n")
    assert tools("edit_file", path="a.py", edits=7).text == (
        '[edit_file: `edits` is not a list. Expected {"path": ..., "edits": [{"old": ..., "new": '
        "...}]}; nothing was written]"
    )


def test_the_user_is_shown_the_change_before_it_is_allowed(tools: Caller) -> None:
    path = tools.put("a.py", "a = 1\n")
    tool = tools.tools["edit_file"]
    diff = tool.diff({"path": "a.py", "edits": {"old": "1", "new": "2"}}, tools.context)
    assert diff == FileDiff(path=str(path), old="a = 1\n", new="a = 2\n")
    for arguments in (
        {"path": "a.py", "edits": [{"old": "not there", "new": ""}]},
        {"path": "a.py", "edits": "?"},
        {"path": "/dev/null", "edits": []},
    ):
        assert tool.diff(arguments, tools.context) is None


def test_in_a_large_file_a_long_old_that_is_nearly_there_is_shown(tools: Caller) -> None:
    lines = [f"    value_{n} = compute({n}, {n * 7 % 13})\n" for n in range(440_000)]
    tools.put("a.py", "".join(lines))
    old = "".join(lines[300_000:300_200]).replace("value_300100 ", "valeu_300100 ")
    result = edit(tools, (old, "x"))
    assert "300101→" in result.text
    assert not result.ok
