"""What a conversation is made of. Pure values, no behaviour of the agent.

What a model or a person wrote may hold NUL, lone surrogates, NaN or ten thousand nested lists,
which servers and parsers refuse for ever. Messages and calls hold none of them, from the start.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Role = Literal["system", "user", "assistant", "tool"]
MAX_DEPTH = 64
"""Levels of nesting in a call's arguments; JSON parsers on the way bear a few hundred."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """One call of a tool, as the model wrote it.

    id: nine letters or digits, unique in the session, given by the core.
    arguments: always an object, so that every chat template can render it; see `clean_json`.
    rejected: why the call will not run, as text for the model; None for a call that may run.
    raw: the arguments as the model wrote them when they are not a JSON object; never stored.
    """

    id: str = ""
    name: str
    arguments: Mapping[str, Any]
    rejected: str | None = None
    raw: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", clean_text(self.name))
        object.__setattr__(self, "arguments", clean_json(self.arguments))


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of the conversation.

    calls: calls of an assistant message; at most one once it is in the history.
    call_id: for role `tool`, the call that this is the result of.
    thinking: what the model thought before; stored, sent back only to models that want it.
    images: pictures of a user's message, as `data:` addresses, for a model that sees.
    """

    role: Role
    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    call_id: str = ""
    thinking: str = ""
    images: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", clean_text(self.text))
        object.__setattr__(self, "thinking", clean_text(self.thinking))


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Token counts of one request as the server reported them; None where it said nothing."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Timings:
    """How fast the server worked; llama.cpp's `timings`, None where it said nothing.

    prompt_tokens: tokens that were really read, without the cached ones.
    prompt_ms, generation_ms: milliseconds.
    """

    prompt_tokens: int | None = None
    prompt_ms: float | None = None
    generated_tokens: int | None = None
    generation_ms: float | None = None


def clean_text(text: str) -> str:
    """Return `text` as any JSON parser and file takes it: no NUL, no lone surrogate."""
    if "\0" in text:
        text = text.replace("\0", "\N{REPLACEMENT CHARACTER}")
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def clean_json(value: Any, depth: int = MAX_DEPTH) -> Any:
    """Return `value` with clean text, and None for what JSON lacks or nests deeper than `depth`."""
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, (Mapping, list)) and not depth:
        return None
    if isinstance(value, Mapping):
        return {clean_text(str(key)): clean_json(v, depth - 1) for key, v in value.items()}
    if isinstance(value, list):
        return [clean_json(item, depth - 1) for item in value]
    if isinstance(value, float):
        # `3.0` passes as an integer in JSON schema, but cannot be an index in Python.
        if value.is_integer() and abs(value) < 2**53:
            return int(value)
        return value if math.isfinite(value) else None
    return value if isinstance(value, int) else None
