"""A conversation, line by line: a question in, the answer streamed out."""

from __future__ import annotations

import asyncio
import signal
import sys
from contextlib import aclosing

from minime_core.events import TurnDone
from minime_core.mentions import expand_mentions
from minime_core.permission import Answer, Choice, Question
from minime_core.session import Session

from minime_terminal.printing import Printer, announce
from minime_terminal.safe_text import safe_text

ANSWERS: dict[str, Choice] = {"y": "once", "a": "always", "n": "no", "never": "never"}


async def converse(session: Session, prompt: str | None) -> int:
    """Ask for questions until the input ends; Ctrl-C stops a turn."""
    announce(session, sys.stderr)
    print(f"Mini Me with {safe_text(session.ref.model)} ({session.ref.why}). Ctrl-D ends.")
    session.ask = _ask
    while (line := await _read_line("> ")) is not None:
        if line.strip():
            await _turn(session, expand_mentions(line, session.cwd))
    print()
    return 0


async def _turn(session: Session, question: str) -> None:
    printer = Printer(
        preview_lines=session.settings.preview_lines, out=sys.stdout, err=sys.stderr
    )
    task = asyncio.ensure_future(_show(session, question, printer))
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGINT, task.cancel)
    try:
        await asyncio.wait([task])
    finally:
        loop.remove_signal_handler(signal.SIGINT)
        task.cancel()
    if task.cancelled():
        print("\n(stopped; the model will not hear of this question again)", file=sys.stderr)
    else:
        task.result()


async def _show(session: Session, question: str, printer: Printer) -> None:
    async with session.run(question) as events, aclosing(events):
        async for event in events:
            printer.show(event)
            if isinstance(event, TurnDone):
                return


async def _ask(question: Question) -> Answer:
    about = question.subject or question.title
    print(f"Run {question.tool.name}: {safe_text(about)}", file=sys.stderr)
    line = await _read_line("[y]es, [a]lways, [n]o, never? ")
    return Answer(choice=ANSWERS.get((line or "n").strip().lower(), "no"))


async def _read_line(prompt: str) -> str | None:
    """Return a line without its end, None at the end of the input.

    Read in a thread, so that a turn can go on meanwhile.
    """
    try:
        return await asyncio.to_thread(input, prompt)
    except EOFError:
        return None
