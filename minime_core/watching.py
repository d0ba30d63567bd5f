"""What plugins that did not come with Mini Me may not do around requests and calls.

They give and take what the protocol says, leave the signal handlers alone, and keep nobody waiting
for ever. What is not watched costs nothing: code of built-in plugins is used as it is.
"""

from __future__ import annotations

import reprlib
from collections.abc import AsyncGenerator, Awaitable
from contextlib import aclosing
from dataclasses import dataclass, replace
from functools import partial
from inspect import iscoroutine, iscoroutinefunction
from math import inf
from typing import Any, NoReturn, cast
from weakref import WeakSet

from minime_core.containment import SignalHandlers
from minime_core.errors import PluginError
from minime_core.events import ModelEvent
from minime_core.messages import ToolCall
from minime_core.middleware import (
    ModelCall,
    ModelLayer,
    ModelWrap,
    ToolCaller,
    ToolLayer,
    ToolWrap,
)
from minime_core.models import ModelRequest, Provider
from minime_core.own_time import OwnTime
from minime_core.permission import Answer, Ask, Question
from minime_core.plugins import PluginHost, without
from minime_core.tools import Arguments, Tool, ToolContext, ToolResult


class Watching:
    """Watches the plugins of a session.

    limit: most seconds of their own time; see `own_time`.
    """

    def __init__(self, host: PluginHost, limit: float) -> None:
        self._host = host
        self._limit = limit
        self._clocks: WeakSet[OwnTime] = WeakSet()

    def model(self, plugin: str, layer: ModelLayer) -> ModelWrap:
        """Return what `layer` does, watched; a fault ends the request with a PluginError."""
        if self._host.is_builtin(plugin):
            return layer.wrap
        return self.stream(_Watch(plugin, f"its layer {layer.name}"), layer.wrap)

    def stream(self, watch: _Watch, inner: ModelWrap, limit: float | None = None) -> ModelWrap:
        """Return `inner`, watched.

        limit: in place of the session's, for what may wait for a server.
        """

        async def wrap(
            request: ModelRequest, call_next: ModelCall
        ) -> AsyncGenerator[ModelEvent, None]:
            async def others(passed: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
                clock.leave()
                try:
                    async with aclosing(call_next(watch.kind(passed, ModelRequest))) as events:
                        async for event in events:
                            clock.back()
                            try:
                                yield event
                            finally:
                                clock.leave()
                finally:
                    clock.back()

            handlers = SignalHandlers()
            with self.clock(watch.plugin, watch.where, limit) as clock:
                events = watch.kind(inner(request, others), AsyncGenerator)
                async with aclosing(events):
                    async for event in events:
                        watch.handlers(handlers)
                        clock.leave()
                        try:
                            yield watch.kind(event, ModelEvent)
                        finally:
                            clock.enter()
                        # Who shows the event may have handlers of their own meanwhile.
                        handlers = SignalHandlers()

        return wrap

    def tool(self, plugin: str, layer: ToolLayer) -> ToolWrap:
        """Return what `layer` does, watched; a fault ends the call with a PluginError."""
        if self._host.is_builtin(plugin):
            return layer.wrap
        watch = _Watch(plugin, f"its layer {layer.name}")

        async def wrap(call: ToolCall, call_next: ToolCaller) -> ToolResult:
            async def others(passed: ToolCall) -> ToolResult:
                clock.leave()
                try:
                    return await call_next(watch.kind(passed, ToolCall))
                finally:
                    clock.back()

            handlers = SignalHandlers()
            with self.clock(plugin, watch.where) as clock:
                result = watch.kind(layer.wrap(call, others), Awaitable)
                awaited: ToolResult = watch.kind(await result, ToolResult)
            watch.handlers(handlers)
            return awaited

        return wrap

    async def run_tool(
        self, plugin: str, tool: Tool, arguments: Arguments, context: ToolContext
    ) -> ToolResult:
        """Run a tool; it fails when it neither ends nor shows anything for too long."""
        if self._host.is_builtin(plugin):
            return await tool.run(arguments, context)

        def emit(text: str) -> None:
            clock.leave()
            context.emit(text)
            clock.back()

        with self.clock(plugin, f"tool {tool.name}") as clock:
            return await tool.run(arguments, replace(context, emit=emit))

    def provider(self, plugin: str, provider: Provider) -> Provider:
        """Return `provider`, watched; what it offers besides answers of its model comes in time.

        The time that it waits for its model is the server's, which guards bound.
        """
        if self._host.is_builtin(plugin):
            return provider
        return cast(Provider, _Provider(self, self._host, plugin, provider))

    async def asking(self, ask: Ask, question: Question) -> Answer:
        """Put a question to the user; meanwhile no plugin's time runs."""
        clocks = [*self._clocks]
        for clock in clocks:
            clock.leave()
        try:
            return await ask(question)
        finally:
            for clock in clocks:
                clock.back()

    def clock(self, plugin: str, where: str, limit: float | None = None) -> OwnTime:
        """Return what bounds the time of `plugin` in `where`, to be entered.

        limit: in place of the session's.
        """
        limit = self._limit if limit is None else limit
        text = (
            f"plugin {plugin} kept everything waiting for {limit:g} s in {where}, "
            f"which is ended; if it is only slow, raise plugin_timeout"
        )
        failure = PluginError(f"{text} {without(plugin)}", plugin=plugin)
        report = partial(self._host.report, plugin, where)
        clock = OwnTime(limit, failure, report)
        self._clocks.add(clock)
        return clock


class _Provider:
    """A provider whose stream is watched like a layer, and whose coroutines fail as its plugin."""

    def __init__(
        self, watching: Watching, host: PluginHost, plugin: str, provider: Provider
    ) -> None:
        self._provider = provider
        self._answering = partial(host.answering, plugin)
        watch = _Watch(plugin, f"provider {provider.name}")
        self._clock = partial(watching.clock, plugin, watch.where)
        stream = watching.stream(watch, lambda request, _: provider.stream(request), inf)
        self.stream: ModelCall = lambda request: stream(request, provider.stream)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._provider, name)

        async def timed(*arguments: Any) -> Any:
            with self._answering(), self._clock():
                return await found(*arguments)

        return timed if iscoroutinefunction(found) else found


@dataclass(frozen=True, slots=True)
class _Watch:
    """Raises PluginError for what a plugin may not do."""

    plugin: str
    where: str

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
        text = f"plugin {self.plugin} failed in {self.where}: {what} {without(self.plugin)}"
        raise PluginError(text, plugin=self.plugin)
