"""What a conversation is made of. Pure values, no behaviour of the agent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Role = Literal["system", "user", "assistant", "tool"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """One call of a tool, as the model wrote it.

    id: nine letters or digits, unique in the session, given by the core.
    arguments: always an object, so that every chat template can render it.
    rejected: why the call will not run, as text for the model; None for a call that may run.
    raw: the arguments as the model wrote them when they are not a JSON object; never stored.
    """

    id: str = ""
    name: str
    arguments: Mapping[str, Any]
    rejected: str | None = None
    raw: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of the conversation.

    calls: calls of an assistant message; at most one once it is in the history.
    call_id: for role `tool`, the call that this is the result of.
    thinking: what the model thought before; shown and stored, sent back only to models that want it.
    """

    role: Role
    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    call_id: str = ""
    thinking: str = ""


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
