"""`/context`: what fills the window, by part."""

from __future__ import annotations

from collections.abc import Iterator

from minime_context.conversation import Entry, read
from minime_context.masking import LEAST_GAIN
from minime_context.state import State
from minime_core.events import ContextUsage
from minime_core.session import Session

_NOT_COUNTED = "The server has counted nothing yet: all numbers are estimates."


def report(session: Session, state: State) -> str:
    """Return what fills the window, as Markdown."""
    rows = list(_rows(session, state))
    used = state.context.room.used()
    window = state.measures.window
    lines = [
        _headline(used, window.tokens, window.origin),
        "",
        "| part | tokens | |",
        "|---|---|---|",
    ]
    total = sum(tokens for _, tokens in rows) or 1
    # The parts are estimated, their sum is not.
    scale = used / total
    for name, tokens in rows:
        scaled = round(tokens * scale)
        share = f"{scaled / (window.tokens or used):.0%}" if used else ""
        lines.append(f"| {name} | {scaled:,} | {share} |")
    if window.tokens is not None:
        free = max(window.tokens - used, 0)
        lines.append(f"| free | {free:,} | {free / window.tokens:.0%} |")
    lines += ["", *_notes(state)]
    return "\n".join(lines).rstrip()


def _headline(used: int, window: int | None, origin: str) -> str:
    if window is None:
        return f"About {used:,} tokens are taken; the size of the window is unknown."
    return f"About {used:,} of {window:,} tokens are taken ({used / window:.0%}; {origin})."


def _rows(session: Session, state: State) -> Iterator[tuple[str, int]]:
    sizes, meter, _ = state.measures.all
    view = session.history.view()
    if view and view[0].role == "system":
        yield "system prompt", meter.part(sizes.of_message(view[0]))
    for name, tool in session.tools.items():
        yield f"tool `{name}`", meter.part(sizes.of_tools((tool,)))
    found: dict[str, int] = {}
    for entry in read(session.history).entries:
        kind = _kind(entry)
        found[kind] = found.get(kind, 0) + sizes.of_message(entry.message)
    for kind, size in found.items():
        yield kind, meter.part(size)


def _kind(entry: Entry) -> str:
    message = entry.message
    if message.role == "user":
        return "questions and summaries" if not entry.is_alone else "questions"
    if message.role == "assistant":
        return "calls" if message.calls else "answers"
    is_stub = len(message.text) <= LEAST_GAIN and message.text.startswith("[output of ")
    return "tool outputs, masked" if is_stub else "tool outputs"


def _notes(state: State) -> Iterator[str]:
    if not state.measures.meter.is_exact:
        yield _NOT_COUNTED
    if (last := state.context.counting.gauge.last) is not None:
        yield from _speeds(last)
    if state.prefix.broken:
        yield f"Cache last lost: {state.prefix.broken}."


def _speeds(last: ContextUsage) -> Iterator[str]:
    told = []
    if last.cached_share is not None:
        told.append(f"{last.cached_share:.0%} of the last prompt was cached")
    if last.prefill_per_second is not None:
        told.append(f"{last.prefill_per_second:,.0f} tokens a second are read")
    if last.generation_per_second is not None:
        told.append(f"{last.generation_per_second:,.1f} tokens a second are written")
    if told:
        yield f"{', '.join(told)}."
