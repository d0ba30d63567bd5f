"""What happens during a turn, in the order in which it happens.

Providers and model layers yield the first group, ended by exactly one `MessageDone`; the loop adds
the second. Frontends consume both and ignore kinds that they do not know.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from minime_core.codec import to_plain
from minime_core.errors import MinimeError
from minime_core.messages import Message, Timings, ToolCall, Usage

Level = Literal["info", "warning", "error"]
TurnReason = Literal[
    "answered", "empty", "unexecuted", "limit", "stuck", "stalled", "failed", "cancelled"
]


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class ThinkingDelta:
    """A piece of what the model thinks before it answers."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolCallDelta:
    """A piece of a call that is being written; `arguments` is a fragment of its text."""

    index: int
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Retracted:
    """What was shown of this answer is withdrawn; another attempt follows."""

    thinking_only: bool = False


@dataclass(frozen=True, slots=True)
class PromptProgress:
    """The server reads the prompt: `done` of `total` tokens, `cached` of them without work."""

    done: int
    total: int
    cached: int = 0


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """The server is alive but has nothing to say yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageDone:
    """The model's answer is complete.

    finish_reason: as the server spells it (`stop`, `length`, `tool_calls`); empty if it said none.
    """

    message: Message
    usage: Usage = Usage()
    timings: Timings = Timings()
    finish_reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Continue:
    """Control event of a model layer after `MessageDone`: ask once more, with `note`.

    The answer's text so far is taken as the beginning of the next one; the note is seen by the
    model in that one request and is not kept.
    """

    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextUsage:
    """How full the model's window is after an answer, and how fast the server worked.

    None stands for what the server did not tell; it is never shown as 0.

    used: tokens of the conversation so far, this answer included.
    window: tokens that a request and its answer share.
    cached_share: part of the last request that the server had in its cache, 0 to 1.
    prefill_per_second, generation_per_second: tokens a second, read and written.
    """

    used: int
    window: int | None = None
    cached_share: float | None = None
    prefill_per_second: float | None = None
    generation_per_second: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolStarted:
    """A call is about to run (or to be answered with its rejection)."""

    call: ToolCall
    title: str
    kind: str
    locations: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """A piece of output of a call that is still running."""

    call_id: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FileDiff:
    """How a call changed a file; `old` is None for a new file, `new` None for a deleted one."""

    path: str
    old: str | None
    new: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolDone:
    """A call has its result; `text` is what the model will read. See `tools.ToolResult`."""

    call_id: str
    name: str
    text: str
    ok: bool
    ran: bool = True
    seconds: float
    diffs: tuple[FileDiff, ...] = ()


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that the user should know and the model need not; `source` is who says it."""

    level: Level
    text: str
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnDone:
    """The turn is over; `text` is the whole answer, `error` what made a turn fail."""

    reason: TurnReason
    text: str = ""
    error: MinimeError | None = None


ModelEvent: TypeAlias = (
    TextDelta
    | ThinkingDelta
    | ToolCallDelta
    | Retracted
    | PromptProgress
    | Heartbeat
    | Notice
    | MessageDone
    | Continue
    | ContextUsage
)
"""What a provider and model layers yield."""
Event: TypeAlias = ModelEvent | ToolStarted | ToolOutput | ToolDone | TurnDone
"""What a frontend sees of a turn. More kinds may come: ignore those that you do not know."""


def to_json(event: Event) -> dict[str, Any]:
    """Return `event` as a JSON object whose `type` is its class in snake case.

    Fields that have their default are left out.
    """
    return {"type": _snake(type(event).__name__), **to_plain(event)}


def _snake(name: str) -> str:
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name).lstrip("_")
