"""The commands of the page on finding out what is wrong, as they are shown."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from minime_core.testing import Mm, Reply, text, tool_call
from minime_core.testing.http1 import Request
from quick_mm import QuickMm

PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "find-out-what-is-wrong.md"


def respond(request: Request) -> Reply:
    asked = request.json or {}
    return tool_call("add", {"a": 12, "b": 30}) if asked.get("tools") else text("Hello")


def test_every_command_works_as_it_is_shown(
    mm: Mm, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    mm = QuickMm(mm, capsys, monkeypatch)
    (mm.cwd / ".mm" / "config.yaml").write_text("max_turns: 5\n")
    mm.server.respond = respond
    lines = re.findall(r"^    (mm .+)$", PAGE.read_text(), re.MULTILINE)
    assert len(lines) == 8
    for line in lines:
        done = mm.run(*shlex.split(line)[1:])
        assert (done.code, done.err) == (0, ""), (line, done)
        assert done.out
