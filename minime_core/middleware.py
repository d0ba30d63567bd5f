"""Layers around model requests and tool calls, composed into an onion.

A model layer is `wrap(request, call_next)` and returns an async generator of events; it calls
`call_next` once, several times or not at all, each time inside `contextlib.aclosing`. A tool layer
is `async wrap(call, call_next)` and returns a `ToolResult`.
"""

from __future__ import annotations

import reprlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from contextlib import aclosing
from dataclasses import dataclass
from enum import IntEnum
from inspect import iscoroutine
from typing import Any, NoReturn, TypeVar

from minime_core.containment import SignalHandlers
from minime_core.errors import PluginError
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
class ModelLayer:
    """A layer around requests. Within a phase a lower `order` is nearer to the server."""

    name: str
    phase: Phase
    wrap: ModelWrap
    order: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolLayer:
    """A layer around calls of tools. Within a phase a lower `order` is nearer to the tool."""

    name: str
    phase: Phase
    wrap: ToolWrap
    order: int = 0


def compose_model(
    layers: Iterable[tuple[str, ModelLayer]],
    innermost: ModelCall,
    is_known: Callable[[str], bool] = lambda plugin: True,
) -> ModelCall:
    """Return one call that goes through all layers, each given with its plugin's name.

    is_known: whether a plugin need not be watched. A layer of another one that does what no layer
        may do ends the request with a PluginError.
    """
    call = innermost
    for plugin, layer in sorted(layers, key=_place):
        wrap = layer.wrap if is_known(plugin) else _watched_model(plugin, layer)
        call = _around(wrap, call)
    return call


def compose_tool(
    layers: Iterable[tuple[str, ToolLayer]],
    innermost: ToolCaller,
    is_known: Callable[[str], bool] = lambda plugin: True,
) -> ToolCaller:
    """Return one call that goes through all layers; see `compose_model`."""
    call = innermost
    for plugin, layer in sorted(layers, key=_place):
        wrap = layer.wrap if is_known(plugin) else _watched_tool(plugin, layer)
        call = _around(wrap, call)
    return call


def _place(layer: tuple[str, ModelLayer | ToolLayer]) -> tuple[Phase, int, str]:
    return layer[1].phase, layer[1].order, layer[0]


def _around(
    wrap: Callable[[T, Callable[[T], R]], R], call_next: Callable[[T], R]
) -> Callable[[T], R]:
    return lambda what: wrap(what, call_next)


def _watched_model(plugin: str, layer: ModelLayer) -> ModelWrap:
    watch = _Watch(plugin, layer.name)

    async def wrap(request: ModelRequest, call_next: ModelCall) -> AsyncGenerator[ModelEvent, None]:
        handlers = SignalHandlers()
        events = layer.wrap(request, lambda passed: call_next(watch.kind(passed, ModelRequest)))
        async with aclosing(watch.kind(events, AsyncGenerator)):
            async for event in events:
                watch.handlers(handlers)
                yield watch.kind(event, ModelEvent)
                # Who shows the event may have handlers of their own meanwhile.
                handlers = SignalHandlers()

    return wrap


def _watched_tool(plugin: str, layer: ToolLayer) -> ToolWrap:
    watch = _Watch(plugin, layer.name)

    async def wrap(call: ToolCall, call_next: ToolCaller) -> ToolResult:
        handlers = SignalHandlers()
        result = layer.wrap(call, lambda passed: call_next(watch.kind(passed, ToolCall)))
        awaited: ToolResult = watch.kind(await watch.kind(result, Awaitable), ToolResult)
        watch.handlers(handlers)
        return awaited

    return wrap


@dataclass(frozen=True, slots=True)
class _Watch:
    """Raises PluginError for what a layer may not do."""

    plugin: str
    layer: str

    def kind(self, value: Any, wanted: Any) -> Any:
        if not isinstance(value, wanted):
            if iscoroutine(value):
                value.close()
            name = getattr(wanted, "__name__", "event")
            self._fail(f"gave {reprlib.repr(value)[:80]}, which is no {name}")
        return value

    def handlers(self, before: SignalHandlers) -> None:
        if fault := before.put_back():
            self._fail(fault)

    def _fail(self, what: str) -> NoReturn:
        text = f"plugin {self.plugin} failed in its layer {self.layer}: {what}"
        raise PluginError(text, plugin=self.plugin)
