"""A session: one conversation with one model, its tools, and the layers around both."""

from __future__ import annotations

import json
import reprlib
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from minime_core import loop
from minime_core.bounds import bound, output_limit
from minime_core.config import Config
from minime_core.events import Event, Notice, ToolOutput, ToolStarted
from minime_core.formats import ToolFormat
from minime_core.history import History
from minime_core.messages import ToolCall
from minime_core.middleware import ModelLayer, ToolLayer, compose_model, compose_tool
from minime_core.models import (
    ModelInfo,
    ModelRef,
    ModelRequest,
    Provider,
    ToolChoice,
    takes_images,
)
from minime_core.permission import Answer, Ask, Decision, Permission, Question, approve, refuse
from minime_core.plugins import PluginHost, is_failure
from minime_core.profiles import Profile
from minime_core.store import SessionFile
from minime_core.tools import Tool, ToolContext, ToolResult
from minime_core.turn import Stash, Turn
from minime_core.watching import Watching


class Session:
    """Everything that lasts for a conversation. Build one with `assembly.open_session`.

    info: what the server told of its model; empty when it was down. `provider.info()` asks again.
    watching: bounds what plugins that did not come with Mini Me do.
    turn: the turn that is running; None between turns.
    stash: typed storage of plugins for the length of the session.
    """

    def __init__(
        self,
        *,
        host: PluginHost,
        config: Config,
        ref: ModelRef,
        info: ModelInfo,
        provider: Provider,
        profile: Profile,
        history: History,
        tools: Iterable[Tool],
        formats: Iterable[ToolFormat],
        cwd: Path,
        file: SessionFile,
        is_debug: bool = False,
    ) -> None:
        self.host = host
        self.config = config
        self.settings = config.settings
        self.ref = ref
        self.info = info
        self.provider = provider
        self.profile = profile
        self.history = history
        # Sorted and frozen: the tools stand near the beginning of each prompt.
        self.tools: Mapping[str, Tool] = {t.name: t for t in sorted(tools, key=lambda t: t.name)}
        self.formats: Mapping[str, ToolFormat] = {f.name: f for f in formats}
        self.cwd = cwd
        self.file = file
        self.is_debug = is_debug
        self.permission = Permission(
            self.settings.policy, self.settings.allow, self.settings.deny, cwd
        )
        self._ask: Ask = refuse
        self.turn: Turn | None = None
        self.stash = Stash()
        self._tool_stash: dict[str, Any] = {}
        self._checked: ToolCall | None = None
        self._pending: deque[Event] = deque()
        self._running = False
        self.watching = Watching(host, self.settings.plugin_timeout)
        self.call_model = compose_model(
            host.collect("mm_model_middleware", ModelLayer, session=self),
            provider.stream,
            self.watching.model,
        )
        self.call_tool = compose_tool(
            host.collect("mm_tool_middleware", ToolLayer, session=self),
            self._run_permitted,
            self.watching.tool,
        )
        host.notify("mm_session_start", session=self)

    @property
    def ask(self) -> Ask:
        """What puts a question to the user before a call runs; a frontend replaces it."""
        return partial(self.watching.asking, self._ask)

    @ask.setter
    def ask(self, ask: Ask) -> None:
        self._ask = ask

    @property
    def window(self) -> int | None:
        """Tokens of the model's window, None when unknown. It may be known later than at first."""
        return self.settings.context_window or self.info.window

    @property
    def sees_images(self) -> bool:
        """Whether the model takes pictures: what is set, else what the server tells."""
        return takes_images(self.settings, self.info)

    @property
    def max_output(self) -> int:
        """Most characters of a tool's output: what is set, else what the window bears."""
        if self.window is None or self.config.is_set("max_output"):
            return self.settings.max_output
        return output_limit(self.window)

    @asynccontextmanager
    async def run(
        self, question: str, images: tuple[str, ...] = ()
    ) -> AsyncIterator[AsyncGenerator[Event, None]]:
        """Ask `question`; inside the `async with` is the stream of what happens.

        images: `data:` addresses of pictures; only for a model that sees, see `sees_images`.

        Leaving early cancels the turn: what runs is ended, and the model will not hear of the
        question again. Raises RuntimeError when a turn is running already.
        """
        if self._running:
            raise RuntimeError("one turn at a time in a session")
        rewritten = self.host.first("mm_rewrite_question", str, session=self, question=question)
        self._running = True
        events = loop.run_turn(self, rewritten or question, images)
        try:
            yield self._observed(events) if self.host.has("mm_on_event") else events
        finally:
            await events.aclose()
            self._running = False

    def emit(self, event: Event) -> None:
        """Put an event, such as a notice, into the stream of the running turn or the next one."""
        self._pending.append(event)

    def notice(self, text: str, *, source: str = "") -> None:
        """Warn the user."""
        self.emit(Notice("warning", text, source))

    def take_pending(self) -> Iterable[Event]:
        """Yield the events that were emitted, once."""
        while self._pending:
            yield self._pending.popleft()

    def request(self, turn: Turn, *, tool_choice: ToolChoice = "auto") -> ModelRequest:
        """Return the next request of `turn`.

        Tools are sent always, with `tool_choice: "none"` where none shall be called: leaving them
        out would make the server read the whole prompt again.
        """
        settings = self.settings
        extra: dict[str, Any] = dict(settings.extra_body)
        if self.tools:
            extra.setdefault("parallel_tool_calls", settings.parallel_tool_calls)
        return ModelRequest(
            model=self.ref.model,
            messages=self.history.view(),
            turn=turn,
            tools=tuple(self.tools.values()),
            tool_choice=tool_choice,
            sampling=settings.sampling,
            max_tokens=settings.max_tokens,
            thinking=settings.thinking,
            extra=extra,
        )

    def rejection(self, call: ToolCall) -> str | None:
        """Return why `call` cannot run, as text for the model; None when it can."""
        if call.rejected is not None or call is self._checked:
            return call.rejected
        tool = self.tools.get(call.name)
        if tool is None:
            names = ", ".join(self.tools) or "none"
            return f"[{call.name}: there is no such tool; your tools are: {names}]"
        if call.raw is not None:
            return (
                f"[{call.name}: the arguments are not a JSON object: {bound(call.raw, 200)!r}. "
                f"It did not run. Call it again with {tool.shape}]"
            )
        if faults := tool.faults(call.arguments):
            return (
                f"[{call.name}: wrong arguments: {'; '.join(faults[:3])}. It did not run. "
                f"Expected {tool.shape}]"
            )
        self._checked = call
        return None

    def started(self, call: ToolCall) -> ToolStarted:
        """Return how to show `call`, before it is known whether it may run."""
        tool = self.tools.get(call.name)
        if tool is None or self.rejection(call) is not None:
            return ToolStarted(call=call, title=call.name, kind=tool.kind if tool else "other")
        return ToolStarted(
            call=call,
            title=tool.title(call.arguments) or call.name,
            kind=tool.kind,
            locations=tool.locations(call.arguments),
        )

    def tool_context(self, call_id: str = "") -> ToolContext:
        """Return what a tool gets besides its arguments."""
        queue = self.turn.outputs if self.turn else None
        return ToolContext(
            cwd=self.cwd,
            max_output=self.max_output,
            emit=lambda text: queue.put_nowait(ToolOutput(call_id, text)) if queue else None,
            remember=self.history.append,
            stash=self._tool_stash,
        )

    async def _run_permitted(self, call: ToolCall) -> ToolResult:
        """Run a call, or answer it with why it does not run: innermost of the tool layers."""
        decision, note = await self._decide(call, self._ask_with_diff), ""
        if decision.arguments is not None:
            call = replace(call, arguments=decision.arguments)
            changed = json.dumps(dict(call.arguments), ensure_ascii=False)
            note = f"[{call.name}: the user changed the arguments to {changed}]\n"
            decision = await self._decide(call, approve)
        if decision.refusal is not None:
            return ToolResult(text=note + decision.refusal, ok=False, ran=False)
        tool, context = self.tools[call.name], self.tool_context(call.id)
        plugin = self.host.owner("mm_register_tools", call.name)
        try:
            result = await self.watching.run_tool(plugin, tool, call.arguments, context)
            if not isinstance(result, ToolResult) or not isinstance(result.text, str):
                raise TypeError(f"{reprlib.repr(result)[:80]} is no ToolResult with text")
        except BaseException as error:  # a tool of a plugin may fail in any way
            if not is_failure(error):
                raise
            self._report(tool, "tool", error)
            text = f"[{tool.name}: failed inside: {type(error).__name__}: {error}. Do without it.]"
            result = ToolResult(text=text, ok=False)
        return replace(result, text=bound(note + result.text, self.max_output))

    async def _decide(self, call: ToolCall, ask: Ask) -> Decision:
        if (reason := self.rejection(call)) is not None:
            return Decision(refusal=reason)
        tool = self.tools[call.name]
        question = Question(
            call=call,
            tool=tool,
            title=tool.title(call.arguments) or call.name,
            subject=tool.subject(call.arguments),
        )
        return await self.permission.decide(question, ask)

    async def _ask_with_diff(self, question: Question) -> Answer:
        """Ask the user. Only now a diff is worth its price: it reads and compares files."""
        call, tool = question.call, question.tool
        try:
            diff = tool.diff(call.arguments, self.tool_context(call.id))
        except (Exception, SystemExit) as error:  # the question shows the arguments then
            self._report(tool, "diff of tool", error)
            diff = None
        return await self.ask(replace(question, diff=diff))

    def _report(self, tool: Tool, what: str, error: BaseException) -> None:
        plugin = self.host.owner("mm_register_tools", tool.name) or self.host.blame(error)
        self.host.report(plugin or tool.name, f"{what} {tool.name}", error)

    async def _observed(self, events: AsyncGenerator[Event, None]) -> AsyncGenerator[Event, None]:
        async for event in events:
            self.host.notify("mm_on_event", session=self, event=event)
            yield event

    async def aclose(self) -> None:
        """End the session: observers, connections, file."""
        try:
            limit = self.settings.plugin_timeout
            for awaitable in self.host.notify("mm_session_end", limit, session=self):
                await awaitable
            with self.host.reporting():
                await self.provider.aclose()
        finally:
            self.file.close()
