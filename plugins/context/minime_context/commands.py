"""The commands `/compact` and `/context`."""

from __future__ import annotations

from contextlib import aclosing

from minime_context.layer import COMPACT
from minime_context.report import report
from minime_context.state import state_of
from minime_core.events import Notice
from minime_core.session import Session
from minime_core.turn import Turn

NOTHING = "There is nothing to summarise yet."


async def run_context(session: Session, arguments: str) -> str:
    """Return what fills the window."""
    return report(session, state_of(session))


async def run_compact(session: Session, arguments: str) -> str:
    """Put a summary in the place of earlier questions; `arguments` may say what matters in it."""
    if not session.history.numbered():
        return NOTHING
    wish = f"What matters most: {arguments.strip()}" if arguments.strip() else ""
    turn = Turn(question="/compact", first=len(session.history.records))
    turn.stash.set(COMPACT, wish)
    told: list[str] = []
    # Through all layers, so that it goes to the same server in the same way.
    async with aclosing(session.call_model(session.request(turn))) as events:
        async for event in events:
            if isinstance(event, Notice):
                told.append(event.text)
    session.file.sync()
    return "\n\n".join(told) or NOTHING
