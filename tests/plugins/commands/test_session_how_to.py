"""The commands of the page about sessions, as they are shown."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from minime_core.testing import Mm, text

PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "keep-and-share-sessions.md"


def test_every_command_works_as_it_is_shown(mm: Mm) -> None:
    mm.server.enqueue(text("Fine."), text("Still fine."))
    mm.run("-p", "How are you?")
    (session,) = mm.cwd.glob(".mm/sessions/*.jsonl")
    session.rename(session.with_name("20260102-030405-abcdef.jsonl"))
    lines = re.findall(r"^    (mm .+)$", PAGE.read_text(), re.MULTILINE)
    assert len(lines) == 7
    for line in lines:
        command, _, file = line.partition(" > ")
        done = mm.run(*shlex.split(command)[1:])
        assert done.code == 0, (line, done)
        if file:
            (mm.cwd / file).write_text(done.out)
    assert [*mm.cwd.glob(".mm/sessions/*.jsonl")] == []
    for name in ("talk.html", "talk.md", "talk.json"):
        assert "Still fine." in (mm.cwd / name).read_text()
