"""Commands of installed plugins, typed in a conversation."""

from __future__ import annotations

import pytest

from minime_core.testing import Mm, text
from pty_mm import CTRL_D, PtyMm

SOURCE = """
import asyncio
from minime_core import SlashCommand, hookimpl

async def fail(session, rest):
    raise ValueError("no luck")

async def wait(session, rest):
    await asyncio.Event().wait()

@hookimpl
def mm_slash_commands(session):
    runs = {"fail": fail, "wait": wait, "help": fail}
    return [SlashCommand(name=name, summary="", run=run) for name, run in runs.items()]
"""


def test_one_that_fails_or_waits_for_ever_is_told_and_the_conversation_goes_on(
    mm: Mm, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert mm.site is not None
    mm.site.install("broken", SOURCE)
    monkeypatch.setenv("PYTHONPATH", str(mm.site.folder))
    monkeypatch.setenv("MM_PLUGIN_TIMEOUT", "0.1")
    mm.server.enqueue(text("An answer."))
    with PtyMm(mm.options, cwd=mm.cwd, columns=200) as terminal:
        terminal.see("the name help is taken by the conversation itself")
        terminal.see_prompt()
        terminal.ask("/fail")
        terminal.see("mm: plugin broken failed: ValueError: no luck")
        terminal.ask("/wait")
        terminal.see("mm: plugin broken kept everything waiting for 0.1 s in its command /wait")
        terminal.ask("/help")
        terminal.see("show the commands and keys")
        terminal.ask("Hello")
        terminal.see("An answer.")
        terminal.see_prompt()
        terminal.type(CTRL_D)
        assert terminal.end() == 0
