"""Models and the servers behind them, as the rest of the house sees them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, Protocol

from minime_core.events import ModelEvent
from minime_core.messages import Message
from minime_core.settings import Settings, Thinking
from minime_core.tools import Tool

if TYPE_CHECKING:
    from minime_core.config import Config
    from minime_core.turn import Turn

ToolChoice = Literal["auto", "none", "required"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """One request to a model. Layers change it with `dataclasses.replace`.

    messages: system first; see `History.view`.
    sampling: names and values as the chat completions protocol has them.
    max_tokens: most tokens of the answer; None leaves it to the server.
    schema: JSON schema that the answer's text must fit, for servers that can enforce it.
    thinking: whether the model shall think; a layer knows how its family is told.
    stream: whether the answer shall come in pieces.
    patience: how many times longer than usual the server may be silent.
    is_clamped: whether `max_tokens` is what the window leaves, less than was set.
    extra: more fields of the request's body.
    """

    model: str
    messages: Sequence[Message]
    turn: Turn
    tools: Sequence[Tool] = ()
    tool_choice: ToolChoice = "auto"
    sampling: Mapping[str, float | int] = field(default_factory=dict)
    max_tokens: int | None = None
    schema: Mapping[str, Any] | None = None
    thinking: Thinking = "auto"
    stream: bool = True
    patience: int = 1
    is_clamped: bool = False
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelInfo:
    """What the server tells of its model; None where it tells nothing.

    window: tokens that a request and its answer share; `window_origin` says where that is from.
    window_help: the commands that show and set it, as a clause.
    sees_images: whether it takes pictures.
    renders_tools: whether the chat template has a place for tools. Where it has none, servers drop
        them silently.
    """

    model: str
    window: int | None = None
    window_origin: str = ""
    window_help: str = ""
    renders_tools: bool | None = None
    sees_images: bool | None = None


def takes_images(settings: Settings, info: ModelInfo) -> bool:
    """Return whether a model takes pictures: what is set, else what its server tells."""
    return settings.images == "on" or (settings.images == "auto" and bool(info.sees_images))


def with_note(request: ModelRequest, note: str, beginning: str = "") -> ModelRequest:
    """Return `request` with something for the model that the history does not keep.

    beginning: what the model has answered so far; it goes on from there.
    """
    if beginning.strip():
        tail = (Message(role="assistant", text=beginning), Message(role="user", text=note))
        return replace(request, messages=(*request.messages, *tail))
    last = request.messages[-1]
    noted = replace(last, text=f"{last.text}\n\n[note: {note}]")
    return replace(request, messages=(*request.messages[:-1], noted))


class Provider(Protocol):
    """A connection to one server, kept for the session."""

    name: str

    def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Ask the model; yield what comes and exactly one `MessageDone`, last.

        Raises ProviderError.
        """

    async def info(self) -> ModelInfo:
        """Return what the server tells of its model. Raises ProviderError."""

    async def count_tokens(self, text: str) -> int | None:
        """Return the tokens of `text`, None when the server cannot tell. Never fails."""

    async def is_up(self) -> bool:
        """Return whether the server answers at all."""

    async def aclose(self) -> None:
        """Let go of connections and memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderSpec:
    """A kind of provider that a plugin offers.

    summary: one line for listings.
    make: builds the provider for the session's settings; heavy imports belong in there.
    """

    name: str
    summary: str
    make: Callable[[Config, ModelRef], Provider]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRef:
    """Which model to use, from where.

    why: how it was chosen, for the banner.
    notice: what the user should know about the choice; empty for nothing.
    others: what could have been chosen as well; a frontend may ask the user, and tells plugins by
        `mm_model_chosen`.
    """

    provider: str
    model: str = ""
    base_url: str = ""
    why: str = ""
    notice: str = ""
    others: tuple[ModelRef, ...] = ()
