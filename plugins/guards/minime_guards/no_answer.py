"""The policy `no_answer`: a model that says nothing is asked once more; then the turn is empty.

Nothing is: no text, thinking alone, or a step that is announced and not taken.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

from minime_core.events import Continue, MessageDone, ModelEvent, Notice
from minime_core.middleware import ModelCall
from minime_core.models import ModelRequest
from minime_core.turn import StashKey
from minime_guards.beginning import BEGINNING

_NUDGED: StashKey[bool] = StashKey()

_FIRST_PERSON = (
    r"let me|let's|let us|i will|i'll|i am going to|i'm going to|i need to|i should"
    r"|je vais|laisse[zr]?[- ]moi"
)
_DOING = (
    "run|check|look|read|open|list|search|use|call|execute|create|write|edit|fix|start|try|examine"
    "|inspect|see|view|find|update|fetch|test|verify|do|get"
    "|lancer|lire|ouvrir|chercher|vérifier|créer|écrire|exécuter|regarder|utiliser|modifier"
    "|corriger|lister"
)
_INTENTION = re.compile(
    rf"(?:^|[.!?;:,]\s+|\b(?:so|now|first|next|then|okay|ok|and|sure)[, ]+)"
    rf"(?:{_FIRST_PERSON})\s+(?:\w+\s+){{0,2}}?(?:{_DOING})\b",
    re.IGNORECASE,
)
_ENDINGS = (":", "...", "…")
MAX_ANNOUNCEMENT = 200
"""Longest last line in characters that is taken for an announcement."""


async def wrap(request: ModelRequest, call_next: ModelCall) -> AsyncGenerator[ModelEvent, None]:
    """Judge the answer; ask for another one, once in a turn."""
    done: MessageDone | None = None
    async with aclosing(call_next(request)) as events:
        async for event in events:
            if isinstance(event, MessageDone):
                done = event = _without_blanks(event)
            elif isinstance(event, Continue):
                # A layer further in has asked already, and knows better what for.
                done = None
            yield event
    if done is None or done.message.calls or request.tool_choice == "none":
        return
    turn = request.turn
    fault = _fault(turn.stash.get(BEGINNING, "") + done.message.text, done, bool(request.tools))
    if fault is None:
        return
    if turn.stash.get(_NUDGED, False):
        turn.reason = "empty"
        return
    turn.stash.set(_NUDGED, True)
    what, note = fault
    yield Notice("info", f"the model {what}: asking it once more", "no_answer")
    yield Continue(note=note)


def _without_blanks(done: MessageDone) -> MessageDone:
    """Return an answer of nothing but white space as one of nothing."""
    if not done.message.text.isspace():
        return done
    return replace(done, message=replace(done.message, text=""))


def _fault(text: str, done: MessageDone, has_tools: bool) -> tuple[str, str] | None:
    """Return what the model did instead of answering, and what to tell it; None for an answer."""
    how = "call a tool, or write your answer" if has_tools else "write your answer"
    if not text.strip():
        if done.message.thinking.strip():
            return "only thought", f"You thought and then said nothing. Now {how}."
        return "said nothing", f"Your answer was empty. Now {how}."
    if has_tools and is_announcement(text):
        return (
            "announced a step and did not take it",
            "You announced a step and stopped. Call the tool now, or write your answer.",
        )
    return None


def is_announcement(text: str) -> bool:
    """Return whether `text` ends in announcing a step: `Let me run the command:`.

    Only a first person, a verb of doing, and a colon or dots at the very end count.
    """
    line = text.rstrip().rpartition("\n")[2].strip(" *_#>-").replace("\u2019", "'")
    if len(line) > MAX_ANNOUNCEMENT or not line.endswith(_ENDINGS):
        return False
    return _INTENTION.search(line) is not None
