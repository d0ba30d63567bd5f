"""A summary without a model: what was asked, called and answered, by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from minime_context.conversation import Entry, split_summary
from minime_context.stubs import named
from minime_core.bounds import bound
from minime_core.tools import Tool

MAX_QUESTION, MAX_ANSWER = 200, 200
"""Characters of a question and of an answer."""
MAX_CALLS = 12
"""Calls of a turn that are named."""


def digest(entries: Sequence[Entry], tools: Mapping[str, Tool], limit: int) -> str:
    """Return `entries` in at most `limit` characters."""
    return bound("\n".join(_lines(entries, tools)), limit)


def _lines(entries: Sequence[Entry], tools: Mapping[str, Tool]) -> Iterator[str]:
    calls: list[str] = []
    for entry in entries:
        message = entry.message
        if message.role == "user":
            yield from _called(calls)
            if question := split_summary(message.text)[1]:
                yield f"- asked: {_short(question, MAX_QUESTION)}"
        elif message.calls:
            calls.append(named(message.calls[0], tools))
        elif message.role == "assistant" and message.text.strip():
            yield from _called(calls)
            yield f"  answered: {_short(message.text, MAX_ANSWER)}"
    yield from _called(calls)


def _called(calls: list[str]) -> Iterator[str]:
    if calls:
        more = f" and {len(calls) - MAX_CALLS} more" if len(calls) > MAX_CALLS else ""
        yield f"  called: {', '.join(calls[-MAX_CALLS:])}{more}"
    calls.clear()


def _short(text: str, limit: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= limit else f"{line[: limit - 3]}..."
