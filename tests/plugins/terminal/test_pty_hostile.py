"""Nothing that a model, a tool, a file or a server says is obeyed by the terminal."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

import pytest

from minime_core.testing import Mm, Reply, status, text, thinking, tool_call
from pty_mm import ENTER, QuickPtyMm

Start: TypeAlias = Callable[..., QuickPtyMm]

SEQUENCES = {
    "title": "\x1b]0;owned\x07",
    "clipboard": "\x1b]52;c;b3duZWQ=\x07",
    "link": "\x1b]8;;http://evil\x1b\\",
    "clear": "\x1b[2J\x1b[3J\x1b[H",
    "other screen": "\x1b[?1049h",
    "reset": "\x1bc",
    "paste off": "\x1b[?2004l",
    "answer back": "\x1b[c\x1b[6n\x05",
    "eight bits": "\x9b2J\x9d0;owned\x9c",
    "backwards": "\u202e",
    "device": "\x1bP1$r\x1b\\",
}
EVIL = "".join(SEQUENCES.values()) + "\r\x08\x7f"
UNSAFE = ("owned\x07", "\x1b]", "\x1bP", "\x1b[3J", "\x1b[?1049h", "\x1bc", "\x1b[c", "\x1b[6n")
READY = "/help shows more"


def is_untouched(terminal: QuickPtyMm) -> bool:
    """Return whether the terminal shows all that it showed, and was told nothing bad."""
    written = terminal.written.decode()
    shown = " ".join(terminal.text.split())
    obeyed = [one for one in (*UNSAFE, "\x9b", "\x9d", "\u202e") if one in written]
    return (terminal.title, READY in shown, obeyed) == ("", True, [])


@pytest.mark.parametrize("term", ["xterm-256color", "dumb"])
def test_no_control_sequence_is_obeyed_wherever_it_stands(term: str, start: Start, mm: Mm) -> None:
    steps = [{"step": f"step {EVIL}", "status": "pending"}]
    (mm.cwd / "loot.txt").write_text(f"in a file {EVIL}\n")
    replies: list[Reply] = [
        thinking(f"thought {EVIL}\n\n") + text(f"# head {EVIL}\n\n`code {EVIL}`\n\n"),
        text(f"```{EVIL}\ncode {EVIL}\n```\n\n| a {EVIL} |\n|---|\n| b {EVIL} |\n\n[x](<{EVIL}>)"),
        tool_call("plan", {"steps": steps}),
        tool_call("read_file", {"path": "loot.txt"}),
        tool_call("bash", {"command": f"echo {EVIL!r}"}),
        tool_call("write_file", {"path": f"name{EVIL}.txt", "content": f"written {EVIL}\n"}),
        tool_call(f"none{EVIL}", {f"key{EVIL}": EVIL}),
        text("All over."),
    ]
    enter = "\n" if term == "dumb" else ENTER
    settings = mm.cwd / "settings.yaml"
    settings.write_text("builtin_tools: {plan: true}\n")
    terminal = start(*replies, options=("--config", str(settings)), env={"TERM": term})
    for number, words in enumerate(("Think.", "Write."), start=2):
        terminal.type(words + enter)
        terminal.see("📖 0 skills", number - 1)
        terminal.see_prompt()
    terminal.type("Work." + enter)
    for number, tool in enumerate(("bash", "write_file"), start=1):
        terminal.see(f"{tool} wants to do this:")
        terminal.see("[e]dit?", number)
        terminal.type("y" + enter)
    terminal.see("All over.")
    for shown in ("head", "code", "b", "step", "in a file", "name", "written"):
        assert re.search(rf"{shown}\s*␛\]0;owned", terminal.text)
    for command in ("/plan", "/thoughts", "/context", "/undo"):
        terminal.see_prompt()
        terminal.type(command + enter)
    terminal.see("the model will not hear again of")
    assert is_untouched(terminal)


def test_a_server_that_fails_in_colour_is_shown_and_not_obeyed(start: Start) -> None:
    terminal = start(status(400, {"error": {"code": 400, "message": f"bad {EVIL}"}}))
    terminal.ask("Go.")
    terminal.see("bad ]0;owned")
    terminal.see_prompt()
    assert is_untouched(terminal)


def test_a_model_cannot_have_a_name_that_is_obeyed(start: Start) -> None:
    terminal = start(options=("--model", f"m{EVIL}"))
    assert "m␛]0;owned" in terminal.text
    assert is_untouched(terminal)
