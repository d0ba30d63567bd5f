"""What happens in a turn: frozen values, made for `match`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of a turn, summed over its requests to the model.

    cached_tokens: those of the input that the server did not have to read again, if it tells.
    """

    input_tokens: int
    output_tokens: int
    total_tokens: int
    cached_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of the answer."""

    kind: ClassVar[str] = "text"
    text: str


@dataclass(frozen=True, slots=True)
class Thinking:
    """A piece of what the model thinks."""

    kind: ClassVar[str] = "thinking"
    text: str


@dataclass(frozen=True, slots=True)
class ToolCall:
    """The model calls a tool.

    title: what the call does, such as `bash: ls`.
    tool_kind: `execute`, `read`, `edit`, `search`, `fetch`, `other` and so on.
    input: the arguments.
    """

    kind: ClassVar[str] = "tool_call"
    id: str
    title: str
    tool_kind: str
    input: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolResult:
    """A call ended.

    id: that of its `ToolCall`.
    """

    kind: ClassVar[str] = "tool_result"
    id: str
    status: Literal["completed", "failed"]
    output: str


@dataclass(frozen=True, slots=True)
class Done:
    """The turn is over; always the last event.

    stop_reason: `end_turn`, `cancelled`, `max_tokens`, `max_turn_requests` or `refusal`.
    text: the whole answer.
    usage: None when the model server counted nothing.
    """

    kind: ClassVar[str] = "done"
    stop_reason: str
    text: str
    usage: Usage | None = None


Event: TypeAlias = Text | Thinking | ToolCall | ToolResult | Done


@dataclass(frozen=True, slots=True)
class Result:
    """How a turn ended; the fields are those of `Done`."""

    text: str
    stop_reason: str
    usage: Usage | None = None
