"""The page about the terminal has what the terminal has."""

from __future__ import annotations

import re
from pathlib import Path

from minime_core.testing import Mm
from minime_terminal import status
from minime_terminal.commands import KEYS
from minime_terminal.questions import CHOICES
from pty_mm import PtyMm

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "terminal.md").read_text()


def section(title: str) -> str:
    return PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def test_it_has_each_command_and_no_other(mm: Mm) -> None:
    with PtyMm(mm.options, cwd=mm.cwd) as terminal:
        terminal.see_prompt()
        terminal.ask("/help")
        terminal.see("Enter sends")
        shown = set(re.findall(r"^\W*(/[a-z]+) ", terminal.text, re.MULTILINE))
    listed = set(re.findall(r"^\| `(/[a-z]+)`", section("Commands"), re.MULTILINE))
    # That one is there when a server is set.
    assert listed == shown | {"/mcp"}


def test_it_has_each_phase_of_the_status_line() -> None:
    source = Path(status.__file__).read_text()
    phases = {status.WAITING, *re.findall(r'_enter\(f?"([A-Z][a-z ]+)', source)}
    lines = re.findall(r"^\| `([^`]+)`", section("Status line"), re.MULTILINE)
    assert {line for line in lines if not any(line.startswith(p.strip()) for p in phases)} == set()
    assert len(lines) == len(phases) > 5


def test_it_has_each_answer_to_a_question() -> None:
    offered = {*re.findall(r"\[(\w)\]", CHOICES), "never"}
    answers = set(re.findall(r"^\| `(\w+)`", section("Permission"), re.MULTILINE))
    assert answers == offered


def test_it_has_each_key_that_help_names() -> None:
    keys = re.findall(r"Alt-Enter|Ctrl-X Ctrl-E|Ctrl-[A-Z]\b|Enter|Tab", KEYS)
    assert len(keys) > 5
    assert [key for key in keys if key not in section("Keys")] == []
