"""The input line at the keyboard: several lines, pasting, history, completion, an editor."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from minime_core.testing import Mm, text
from pty_mm import CTRL_C, CTRL_D, ENTER, TAB, QuickPtyMm

Start: TypeAlias = Callable[..., QuickPtyMm]
ALT_ENTER, CTRL_R, UP = "\x1b\r", "\x12", "\x1b[A"
EDIT = "\x18\x05"
"""Ctrl-X Ctrl-E."""
SKILL = "---\nname: deploy\ndescription: Brings it out.\n---\nRun make deploy.\n"


def asked(mm: Mm) -> str:
    """Return the question that the model heard last."""
    return str(mm.server.chat_requests[-1].json["messages"][-1]["content"])


def test_several_lines_are_typed_and_pasted_as_one_question(start: Start, mm: Mm) -> None:
    terminal = start(text("Read one."), text("Read two."))
    terminal.type("first" + ALT_ENTER + "second\\" + ENTER + "third")
    terminal.until(
        lambda: terminal.text.rstrip().endswith("> first\n  second\n  third"), "three rows"
    )
    terminal.type(ENTER)
    terminal.see("Read one.")
    assert asked(mm) == "first\nsecond\nthird"
    terminal.see_prompt()
    pasted = "\n".join(f"\tline {n} of the text" for n in range(200))
    terminal.type(f"\x1b[200~{pasted}\x1b[201~")
    terminal.see("line 199 of the text")
    # Nothing is sent, or completed, before Enter.
    assert len(mm.server.chat_requests) == 1
    terminal.type(" ?" + ENTER)
    terminal.see("Read two.")
    assert asked(mm) == f"{pasted} ?"


def test_what_is_pasted_while_a_turn_runs_is_one_text_too(start: Start, mm: Mm) -> None:
    terminal = start(text("Read one."), text("Read two."))
    terminal.type("Go." + ENTER + "\x1b[200~one\ntwo\n\x1b[201~three")
    terminal.see("Read one.")
    terminal.see("three")
    terminal.type(ENTER)
    terminal.see("Read two.")
    assert asked(mm) == "one\ntwo\nthree"


def test_what_was_asked_is_remembered_by_the_next_session(start: Start, mm: Mm) -> None:
    first = start(text("One."), text("Two."))
    first.ask("about apples")
    first.see("One.")
    first.ask("about pears")
    first.see("Two.")
    first.see_prompt()
    first.type(CTRL_D)
    assert first.end() == 0
    second = start(text("Three."), text("Four."))
    second.type(UP + UP)
    second.see("> about apples")
    second.type(" again" + ENTER)
    second.see("Three.")
    assert asked(mm) == "about apples again"
    second.see_prompt()
    second.type(CTRL_R + "pear")
    second.see("about pears")
    # The first Enter takes what was found.
    second.type(ENTER)
    second.see("> about pears")
    second.type(ENTER)
    second.see("Four.")
    assert asked(mm) == "about pears"


def test_commands_skills_and_files_are_completed_with_what_they_are(start: Start, mm: Mm) -> None:
    (mm.cwd / "unusual_name.py").write_text("")
    skill = Path(mm.cwd.parent, "home/.config/mini-me/skills/deploy.md")
    skill.parent.mkdir(parents=True)
    skill.write_text(SKILL)
    terminal = start(text("Done."), text("Seen."))
    terminal.type("/too")
    terminal.see("/tools  show the tools, or one of them")
    terminal.type(TAB)
    terminal.see("> /tools")
    terminal.type(CTRL_C + "$de")
    terminal.see("$deploy  Brings it out.")
    terminal.type(TAB + ENTER + "now" + ENTER)
    terminal.see("Done.")
    terminal.see_prompt()
    terminal.type("look at @unusu")
    terminal.see("unusual_name.py")
    terminal.type(TAB)
    terminal.see("look at @unusual_name.py")
    # The first Enter takes the completion.
    terminal.type(ENTER + ENTER)
    terminal.see("Seen.")
    assert "unusual_name.py" in asked(mm)


def test_the_users_editor_writes_the_question(start: Start, mm: Mm) -> None:
    editor = mm.cwd.parent / "editor"
    editor.write_text('#!/bin/sh\necho "of the editor" >> "$1"\n')
    editor.chmod(0o700)
    terminal = start(text("Read."), env={"VISUAL": None, "EDITOR": str(editor)})
    terminal.type("the words " + EDIT)
    terminal.see("> the words of the editor")
    terminal.type(ENTER)
    terminal.see("Read.")
    assert asked(mm) == "the words of the editor"


def test_what_is_pasted_cannot_change_the_order_in_which_it_is_read(start: Start) -> None:
    terminal = start()
    terminal.type("\x1b[200~say \u202eolleh\x1b[201~")
    terminal.see("> say \ufffdolleh")
    assert "\u202e".encode() not in terminal.written
