"""The routing evaluation: does the model load the skill that a request calls for?

It measures what the model reads, not the agent: one turn a case, which ends with the model's first
call. Nothing ever runs.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from minime_core import open_session
from minime_core.assembly import Options
from minime_core.cli.say import say
from minime_core.config import Config, Layer
from minime_core.errors import UserError
from minime_core.events import Event, MessageDone, TurnDone
from minime_core.messages import Message
from minime_core.plugins import PluginHost
from minime_core.session import Session
from minime_evals.cases import Case, wanted
from minime_evals.outcome import Outcome

TOOL = "read_skill"
_AROUND = "\"'` \t\r\n"


@asynccontextmanager
async def session_for(
    options: Options, host: PluginHost, config: Config, enabled: Sequence[str]
) -> AsyncIterator[Session]:
    """Open the session that all cases are asked in, which leaves nothing on disk.

    enabled: shipped skills that are on, besides those that are on anyway.
    """
    own = [name for layer in config.layers for name in _enabled(layer)]
    # All tools, whatever a profile takes away: to look for a skill is one choice among them.
    wanted = {"skills": {"enabled": sorted({*own, *enabled})}, "tools": []}
    config = Config([*config.layers, Layer("mm eval", wanted)], config.sections)
    session = await open_session(replace(options, resume=None, is_stored=False), host, config, say)
    try:
        yield session
    finally:
        await session.aclose()


def _enabled(layer: Layer) -> list[str]:
    section = layer.values.get("skills")
    names = section.get("enabled", []) if isinstance(section, dict) else []
    return names if isinstance(names, list) else []


def check(session: Session, cases: Iterable[Case]) -> None:
    """Raise UserError when a session cannot be evaluated with `cases`."""
    tool = session.tools.get(TOOL)
    if tool is None:
        raise UserError("no skill is on: there is nothing to choose from; see `mm skills list`")
    missing = [
        name
        for name in wanted(cases)
        if not re.search(rf"^{re.escape(name)}(?=:| \(|$)", tool.description, re.M | re.I)
    ]
    if missing:
        raise UserError(f"the cases want skills that are not on: {', '.join(missing)}")


def about(session: Session) -> dict[str, Any]:
    """Return what the numbers depend on, for whoever compares them."""
    tool = session.tools[TOOL]
    return {
        "provider": session.ref.provider,
        "model": session.ref.model,
        "profile": session.profile.name,
        "sampling": dict(session.settings.sampling),
        "thinking": session.settings.thinking,
        "system_characters": sum(len(m.text) for m in session.history.view() if m.role == "system"),
        "catalogue": tool.description,
        "tools": sorted(session.tools),
    }


async def ask(session: Session, case: Case, limit: float) -> Outcome:
    """Ask one case; the history is then as it was.

    limit: seconds after which a server that does not answer counts as an error.
    """
    first = len(session.history.records)
    start = time.perf_counter()
    got, error = None, ""
    try:
        async with asyncio.timeout(limit), session.run(case.prompt) as events:
            async for event in events:
                if (decided := _decided(event)) is not None:
                    got, error = decided
                    break
    except TimeoutError:
        error = f"no answer within {limit:.0f} s"
    session.history.withdraw(first, "evaluated")
    return Outcome(case, got, time.perf_counter() - start, error)


def _decided(event: Event) -> tuple[str | None, str] | None:
    """Return the skill that was loaded and what failed, once `event` decides the case."""
    if isinstance(event, MessageDone) and event.message.calls:
        return _loaded(event.message)
    if not isinstance(event, TurnDone):
        return None
    if event.error is not None:
        return None, str(event.error)
    # A model that could not write down its call has chosen nothing.
    return None, "" if event.reason == "answered" else f"the turn ended: {event.reason}"


def _loaded(message: Message) -> tuple[str | None, str]:
    for call in message.calls:
        if call.rejected is not None or call.raw is not None:
            return None, call.rejected or f"arguments that are no JSON: {call.raw!r:.100}"
        if call.name == TOOL:
            said = call.arguments.get("name")
            if not isinstance(said, str):
                shown = json.dumps(call.arguments, ensure_ascii=False)[:100]
                return None, f"{TOOL} without a name: {shown}"
            return said.strip(_AROUND).casefold(), ""
    return None, ""
