"""Layers around model requests and tool calls, composed into an onion.

A model layer is `wrap(request, call_next)` and returns an async generator of events; it calls
`call_next` once, several times or not at all, each time inside `contextlib.aclosing`. A tool layer
is `async wrap(call, call_next)` and returns a `ToolResult`.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, TypeVar

from minime_core.events import ModelEvent
from minime_core.messages import ToolCall
from minime_core.models import ModelRequest
from minime_core.tools import ToolResult

T = TypeVar("T")
R = TypeVar("R")


class Phase(IntEnum):
    """Where a layer sits, from the server outwards."""

    NORMALISE = 1
    """Makes of the server's oddities what the protocol means."""
    JUDGE = 2
    """Judges what the model wrote: runaways, arguments, names, loops, silence."""
    RETRY = 3
    """Asks again when the network or the server failed."""
    CONTEXT = 4
    """Keeps the request within the window."""
    OBSERVE = 5
    """Looks on."""


ModelCall = Callable[[ModelRequest], AsyncGenerator[ModelEvent, None]]
"""Sends a request on and returns the events of its answer. Close it: `async with aclosing(...)`."""
ToolCaller = Callable[[ToolCall], Awaitable[ToolResult]]
"""Sends a call on and returns its result."""
ModelWrap = Callable[[ModelRequest, ModelCall], AsyncGenerator[ModelEvent, None]]
ToolWrap = Callable[[ToolCall, ToolCaller], Awaitable[ToolResult]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Layer:
    """What layers have in common; a wrong kind of anything is its plugin's, at once."""

    name: str
    phase: Phase
    wrap: Any
    order: int = 0

    def __post_init__(self) -> None:
        places = isinstance(self.phase, Phase), isinstance(self.order, int), callable(self.wrap)
        if not all(places):
            raise TypeError(f"{self.name} is no layer: its phase, order or wrap is of another kind")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelLayer(_Layer):
    """A layer around requests. Within a phase a lower `order` is nearer to the server."""

    wrap: ModelWrap


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolLayer(_Layer):
    """A layer around calls of tools. Within a phase a lower `order` is nearer to the tool."""

    wrap: ToolWrap


def compose_model(
    layers: Iterable[tuple[str, ModelLayer]],
    innermost: ModelCall,
    wrap: Callable[[str, ModelLayer], ModelWrap] = lambda plugin, layer: layer.wrap,
) -> ModelCall:
    """Return one call that goes through all layers, each given with its plugin's name.

    wrap: returns what a layer of a plugin does; see `watching`.
    """
    call = innermost
    for plugin, layer in sorted(layers, key=_place):
        call = _around(wrap(plugin, layer), call)
    return call


def compose_tool(
    layers: Iterable[tuple[str, ToolLayer]],
    innermost: ToolCaller,
    wrap: Callable[[str, ToolLayer], ToolWrap] = lambda plugin, layer: layer.wrap,
) -> ToolCaller:
    """Return one call that goes through all layers; see `compose_model`."""
    call = innermost
    for plugin, layer in sorted(layers, key=_place):
        call = _around(wrap(plugin, layer), call)
    return call


def _place(layer: tuple[str, ModelLayer | ToolLayer]) -> tuple[Phase, int, str]:
    return layer[1].phase, layer[1].order, layer[0]


def _around(
    wrap: Callable[[T, Callable[[T], R]], R], call_next: Callable[[T], R]
) -> Callable[[T], R]:
    return lambda what: wrap(what, call_next)
