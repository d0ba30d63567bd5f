"""What a person reads of a turn in plain text: the answer on stdout, all the rest on stderr."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import aclosing
from typing import TextIO

from minime_core.cli.opening import Opener
from minime_core.cli.stdout import stdout_for_answers
from minime_core.events import (
    Event,
    MessageDone,
    Notice,
    Retracted,
    TextDelta,
    ToolDone,
    ToolStarted,
    TurnDone,
)
from minime_core.frontends import exit_code
from minime_core.session import Session
from minime_core.tools import Tool
from minime_terminal.plan import plan_line, steps_of
from minime_terminal.safe_text import first_lines, safe_text


class Printer:
    """Prints events.

    On a terminal the answer is written as it comes. Elsewhere it is written when it is known to be
    the answer: a script must not read text that is withdrawn, or that was said before a tool ran.

    tools: those of the session.
    """

    def __init__(
        self, tools: Mapping[str, Tool], *, preview_lines: int, out: TextIO, err: TextIO
    ) -> None:
        self._tools = tools
        self._plan: str | None = None
        """The call whose plan was just shown."""
        self._preview_lines = preview_lines
        self._out = out
        self._err = err
        self._live = out.isatty()
        self._line_is_open = False

    def show(self, event: Event) -> None:
        """Print one event."""
        # The most frequent kind first: an answer has thousands of pieces.
        if isinstance(event, TextDelta):
            if self._live:
                self._write(event.text)
        elif isinstance(event, MessageDone):
            self._end_line()
            if event.message.calls and not self._live and event.message.text.strip():
                self._say(event.message.text.strip())
        elif isinstance(event, ToolStarted):
            self._say(f"● {event.title}")
            if steps := steps_of(event.call, self._tools):
                self._plan = event.call.id
                for step, status in steps:
                    self._say(f"  {plan_line(step, status)}")
        elif isinstance(event, ToolDone):
            shown = 0 if event.call_id == self._plan else self._preview_lines
            for line in first_lines(event.text, shown) if shown else ():
                self._say(f"  {line}")
        elif isinstance(event, Retracted):
            if self._live:
                self._end_line()
                self._say("(withdrawn)")
        elif isinstance(event, Notice):
            self._say(f"mm: {event.text}")
        elif isinstance(event, TurnDone):
            self._finish(event)

    def _finish(self, event: TurnDone) -> None:
        if not self._live and event.text:
            self._write(event.text)
        self._end_line()
        if event.error is not None:
            self._say(f"mm: {event.error}")
        elif why := WHY.get(event.reason):
            self._say(f"mm: {why}")

    def _write(self, text: str) -> None:
        self._out.write(safe_text(text))
        self._line_is_open = not text.endswith("\n")
        if self._live:
            self._out.flush()

    def _end_line(self) -> None:
        if self._line_is_open:
            self._out.write("\n")
            self._line_is_open = False
        self._out.flush()

    def _say(self, text: str) -> None:
        self._end_line()
        print(safe_text(text), file=self._err, flush=True)


WHY = {
    "empty": "the model gave no answer",
    "unexecuted": "the model wrote a tool call as text, and it could not be run",
    "limit": "stopped at max_turns: raise it, or ask to go on",
}


async def print_answer(opener: Opener, prompt: str | None) -> int:
    """Ask one question and print the answer."""
    assert prompt is not None
    with stdout_for_answers() as out:
        return await _print_answer(opener, prompt, out)


async def _print_answer(opener: Opener, prompt: str, out: TextIO) -> int:
    code = 1
    async with opener.open() as session:
        announce(session, sys.stderr)
        lines = session.settings.preview_lines
        printer = Printer(session.tools, preview_lines=lines, out=out, err=sys.stderr)
        async with session.run(prompt) as events, aclosing(events):
            async for event in events:
                printer.show(event)
                if isinstance(event, TurnDone):
                    code = exit_code(event)
    return code


def announce(session: Session, err: TextIO) -> None:
    """Say what the user should know about the chosen model."""
    if session.ref.notice:
        print(f"mm: {session.ref.notice}", file=err, flush=True)
