"""Plugins that wait for ever: each time it is told which plugin it was, and all else goes on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from types import SimpleNamespace
from typing import Any

import pytest

from instant_loop import InstantLoop
from minime_core import (
    Answer,
    Arguments,
    ModelCall,
    ModelEvent,
    ModelInfo,
    ModelLayer,
    ModelRequest,
    Phase,
    PluginError,
    Question,
    TextDelta,
    Tool,
    ToolCall,
    ToolCaller,
    ToolContext,
    ToolLayer,
    ToolResult,
    TurnDone,
    hookimpl,
)
from minime_core.testing import (
    ScriptedModel,
    ScriptedSession,
    Transcript,
    scripted_session,
    tool_call,
)

SAID = "plugin simplenamespace kept everything waiting for 60 s in "
Wrap = Callable[[ModelRequest, ModelCall], AsyncGenerator[ModelEvent, None]]


async def for_ever() -> None:
    await asyncio.Event().wait()


async def long() -> None:
    await asyncio.sleep(1000)


def plugin(**hooks: Any) -> Any:
    """Return the plugin `simplenamespace`, which has these functions as hooks."""
    return SimpleNamespace(**{name: hookimpl(function) for name, function in hooks.items()})


def with_model_layer(wrap: Wrap) -> Any:
    layer = ModelLayer(name="mine", phase=Phase.OBSERVE, wrap=wrap)
    return plugin(mm_model_middleware=lambda session: layer)


def with_tool_layer(wrap: Any) -> Any:
    layer = ToolLayer(name="mine", phase=Phase.OBSERVE, wrap=wrap)
    return plugin(mm_tool_middleware=lambda session: layer, mm_register_tools=lambda: [DONE])


def with_tool(run: Callable[[Arguments, ToolContext], Awaitable[ToolResult]]) -> Any:
    schema = {"type": "object", "properties": {}}
    mine = Tool(name="mine", description="", schema=schema, run=run, effects=frozenset({"execute"}))
    return plugin(mm_register_tools=lambda: mine)


async def run_done(arguments: Arguments, context: ToolContext) -> ToolResult:
    return ToolResult(text="done")


DONE = Tool(
    name="mine",
    description="",
    schema={"type": "object", "properties": {}},
    run=run_done,
    effects=frozenset({"execute"}),
)
CALLED = (tool_call("mine", {}), "One two.")


def in_session(
    act: Callable[[ScriptedSession], Awaitable[Any]],
    *plugins: Any,
    answers: Any = ("One two.",),
    **options: Any,
) -> tuple[Any, list[str]]:
    """Return what `act` does in a session, and what `mm` warned of until its end.

    A second of waiting takes no time.
    """

    async def run() -> tuple[Any, list[str]]:
        opened = scripted_session(answers, plugins=plugins, is_lenient=True, **options)
        async with opened as scripted:
            done = await act(scripted)
        return done, list(scripted.warnings)

    with asyncio.Runner(loop_factory=InstantLoop) as runner:
        return runner.run(run())


def ask(*plugins: Any, **options: Any) -> Transcript:
    done, warnings = in_session(lambda scripted: scripted.ask(), *plugins, **options)
    assert warnings == []
    return done  # type: ignore[no-any-return]


def assert_told(error: BaseException | None, where: str, plugin: str = "simplenamespace") -> None:
    assert isinstance(error, PluginError)
    assert error.plugin == plugin
    assert str(error) == (
        f"plugin {plugin} kept everything waiting for 60 s in {where}, which is ended; if it is "
        f"only slow, raise plugin_timeout (`mm --no-plugin {plugin}` goes without it)"
    )


# Layers around requests


async def before(request: ModelRequest, call_next: ModelCall) -> AsyncGenerator[ModelEvent, None]:
    await for_ever()
    yield TextDelta("never")


async def between(request: ModelRequest, call_next: ModelCall) -> AsyncGenerator[ModelEvent, None]:
    async with aclosing(call_next(request)) as events:
        async for event in events:
            yield event
            await for_ever()


async def after(request: ModelRequest, call_next: ModelCall) -> AsyncGenerator[ModelEvent, None]:
    async with aclosing(call_next(request)) as events:
        async for event in events:
            yield event
    await for_ever()


async def at_the_end(
    request: ModelRequest, call_next: ModelCall
) -> AsyncGenerator[ModelEvent, None]:
    try:
        async with aclosing(call_next(request)) as events:
            async for event in events:
                yield event
    finally:
        await for_ever()


async def looking_away(
    request: ModelRequest, call_next: ModelCall
) -> AsyncGenerator[ModelEvent, None]:
    try:
        await for_ever()
    except asyncio.CancelledError:
        yield TextDelta("I go on")
        await for_ever()


@pytest.mark.parametrize(
    ("wrap", "shown"),
    [
        (before, ""),
        (between, "One"),
        (after, "One two."),
        (at_the_end, "One two."),
        (looking_away, "I go on"),
    ],
)
def test_a_model_layer_that_waits_for_ever_ends_the_turn(wrap: Wrap, shown: str) -> None:
    turn = ask(with_model_layer(wrap))
    assert turn.shown == shown
    assert turn.done.reason == "failed"
    assert_told(turn.error, "its layer mine")


def test_the_next_question_is_asked_all_the_same() -> None:
    waits = iter([True, False])

    async def wrap(request: ModelRequest, call_next: ModelCall) -> AsyncGenerator[ModelEvent, None]:
        if next(waits):
            await for_ever()
        async with aclosing(call_next(request)) as events:
            async for event in events:
                yield event

    async def twice(scripted: ScriptedSession) -> list[str]:
        return [(await scripted.ask()).done.reason for _ in range(2)]

    assert in_session(twice, with_model_layer(wrap)) == (["failed", "answered"], [])


def test_time_in_which_the_server_or_another_layer_waits_is_not_the_layers_own() -> None:
    slow = SimpleNamespace(long=0)

    async def waiting(
        request: ModelRequest, call_next: ModelCall
    ) -> AsyncGenerator[ModelEvent, None]:
        async with aclosing(call_next(request)) as events:
            async for event in events:
                await asyncio.sleep(59)
                slow.long += 59
                yield event

    class Slow(ScriptedModel):
        async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
            await long()
            async with aclosing(super().stream(request)) as events:
                async for event in events:
                    yield event
                    await long()

    class Waiting:
        @hookimpl
        def mm_model_middleware(self) -> ModelLayer:
            return ModelLayer(name="inner", phase=Phase.NORMALISE, wrap=waiting)

    outer = with_model_layer(passing)
    turn = ask(outer, Waiting(), answers=Slow(["One two three four."]))
    assert (turn.done.reason, turn.answer) == ("answered", "One two three four.")
    assert slow.long > 60


async def passing(request: ModelRequest, call_next: ModelCall) -> AsyncGenerator[ModelEvent, None]:
    async with aclosing(call_next(request)) as events:
        async for event in events:
            yield event


def test_time_in_which_the_user_reads_is_not_the_layers_own() -> None:
    async def read(scripted: ScriptedSession) -> list[str]:
        kinds = []
        async with scripted.session.run("Hello") as events:
            async for event in events:
                await long()
                kinds.append(type(event).__name__)
        return kinds

    kinds, warnings = in_session(read, with_model_layer(passing))
    assert (kinds[-1], warnings) == ("TurnDone", [])


def test_a_consumer_in_a_new_task_for_each_event_is_served() -> None:
    async def read(scripted: ScriptedSession) -> Any:
        async with scripted.session.run("Hello") as events:
            while True:
                event = await asyncio.create_task(anext(events))
                if isinstance(event, TurnDone):
                    return event.error

    error, _ = in_session(read, with_model_layer(between))
    assert_told(error, "its layer mine")


def test_requests_side_by_side_are_not_the_layers_own_time() -> None:
    async def racing(
        request: ModelRequest, call_next: ModelCall
    ) -> AsyncGenerator[ModelEvent, None]:
        async def collect(seconds: float) -> list[ModelEvent]:
            await asyncio.sleep(seconds)
            async with aclosing(call_next(request)) as events:
                return [event async for event in events]

        first, _ = await asyncio.gather(collect(0), collect(30))
        for event in first:
            yield event

    class Slow(ScriptedModel):
        async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
            await long()
            async with aclosing(super().stream(request)) as events:
                async for event in events:
                    yield event

    turn = ask(with_model_layer(racing), answers=Slow(["One."] * 2))
    assert turn.answer == "One."


def test_one_that_waits_when_the_user_leaves_is_told_and_the_question_withdrawn() -> None:
    async def leave(scripted: ScriptedSession) -> int:
        async with scripted.session.run("Hello") as events:
            async for event in events:
                if isinstance(event, TextDelta):
                    break
        return len(scripted.session.history.view())

    left, warnings = in_session(leave, with_model_layer(at_the_end))
    assert len(warnings) == 1
    assert warnings[0].startswith(f"{SAID}its layer mine")
    assert left == in_session(leave)[0]


def test_one_that_fails_when_the_user_leaves_is_told() -> None:
    async def failing(
        request: ModelRequest, call_next: ModelCall
    ) -> AsyncGenerator[ModelEvent, None]:
        try:
            async with aclosing(call_next(request)) as events:
                async for event in events:
                    yield event
        finally:
            raise PluginError("plugin mine failed: no luck", plugin="mine")

    async def leave(scripted: ScriptedSession) -> None:
        async with scripted.session.run("Hello") as events:
            async for event in events:
                if isinstance(event, TextDelta):
                    break

    assert in_session(leave, with_model_layer(failing))[1] == ["plugin mine failed: no luck"]


def test_one_that_waits_when_the_user_cancels_is_told_and_the_turn_stays_cancelled() -> None:
    class Slow(ScriptedModel):
        async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
            await for_ever()
            yield TextDelta("never")

    async def cancel(scripted: ScriptedSession) -> bool:
        turn = asyncio.create_task(scripted.ask())
        await asyncio.sleep(1)
        turn.cancel()
        await asyncio.wait([turn])
        return turn.cancelled()

    is_cancelled, warnings = in_session(cancel, with_model_layer(at_the_end), answers=Slow())
    assert is_cancelled
    assert [warning.startswith(SAID) for warning in warnings] == [True]


# Layers around calls, and tools


async def tool_before(call: ToolCall, call_next: ToolCaller) -> ToolResult:
    await for_ever()
    return await call_next(call)


async def tool_after(call: ToolCall, call_next: ToolCaller) -> ToolResult:
    result = await call_next(call)
    await for_ever()
    return result


@pytest.mark.parametrize("wrap", [tool_before, tool_after])
def test_a_tool_layer_that_waits_for_ever_ends_the_turn(wrap: Any) -> None:
    turn = ask(with_tool_layer(wrap), answers=CALLED)
    assert_told(turn.error, "its layer mine")


def test_time_in_which_the_tool_runs_or_the_user_is_asked_is_not_the_layers_own() -> None:
    async def wrap(call: ToolCall, call_next: ToolCaller) -> ToolResult:
        return await call_next(call)

    async def answer(question: Question) -> Answer:
        await long()
        return Answer(choice="once")

    async def run(scripted: ScriptedSession) -> list[str]:
        scripted.session.ask = answer
        return (await scripted.ask()).results

    settings = {"policy": "ask"}
    done = in_session(run, with_tool_layer(wrap), answers=CALLED, settings=settings)
    assert done == (["done"], [])


def test_time_in_which_the_layer_itself_asks_the_user_is_not_its_own() -> None:
    class Asking:
        @hookimpl
        def mm_tool_middleware(self, session: Any) -> ToolLayer:
            async def wrap(call: ToolCall, call_next: ToolCaller) -> ToolResult:
                question = Question(call=call, tool=DONE, title="Sure?", subject="")
                answer = await session.ask(question)
                return ToolResult(text=answer.choice)

            return ToolLayer(name="asking", phase=Phase.OBSERVE, wrap=wrap)

    async def answer(question: Question) -> Answer:
        await long()
        return Answer(choice="never")

    async def run(scripted: ScriptedSession) -> list[str]:
        scripted.session.ask = answer
        return (await scripted.ask()).results

    assert in_session(run, Asking(), answers=CALLED) == (["never"], [])


def test_a_tool_that_neither_ends_nor_shows_anything_is_a_failed_call() -> None:
    async def run(arguments: Arguments, context: ToolContext) -> ToolResult:
        await for_ever()
        raise AssertionError

    done, warnings = in_session(lambda s: s.ask(), with_tool(run), answers=CALLED)
    assert done.answer == "One two."
    (result,) = done.results
    assert "kept everything waiting for 60 s in tool mine" in result
    assert [warning.startswith(f"{SAID}tool mine") for warning in warnings] == [True]


def test_a_tool_that_shows_that_it_works_may_take_long() -> None:
    async def run(arguments: Arguments, context: ToolContext) -> ToolResult:
        for _ in range(10):
            await asyncio.sleep(59)
            context.emit("still at it\n")
        return ToolResult(text="done")

    assert ask(with_tool(run), answers=CALLED).results == ["done"]


def test_a_tool_that_a_program_brings_itself_has_no_limit() -> None:
    async def run(arguments: Arguments, context: ToolContext) -> ToolResult:
        await long()
        return ToolResult(text="done")

    (mine,) = [with_tool(run).mm_register_tools()]
    assert ask(answers=CALLED, tools=[mine]).results == ["done"]


# Observers and the end of a session


def test_what_the_end_of_a_session_waits_for_is_bounded_and_the_others_are_ended() -> None:
    ended: list[str] = []

    class Other:
        @hookimpl
        async def mm_session_end(self) -> None:
            ended.append("other")

    _, warnings = in_session(lambda s: s.ask(), plugin(mm_session_end=lambda: for_ever()), Other())
    assert ended == ["other"]
    assert warnings == [
        "plugin simplenamespace failed in mm_session_end: TimeoutError: it is not done after 10 s"
    ]


@pytest.mark.parametrize(
    "hook", ["mm_on_event", "mm_session_start", "mm_rewrite_question", "mm_system_prompt"]
)
def test_a_hook_that_nobody_awaits_and_that_returns_what_to_await_is_told(hook: str) -> None:
    done, warnings = in_session(lambda s: s.ask(), plugin(**{hook: lambda: for_ever()}))
    assert done.answer == "One two."
    assert warnings == [
        f"plugin simplenamespace failed in {hook}: TypeError: it returned a coroutine, "
        "which nobody awaits"
    ]


# Providers


class Silent(ScriptedModel):
    """A model whose provider waits for ever in one of its parts."""

    def __init__(self, part: str) -> None:
        super().__init__(["One two."])
        self._part = part

    async def info(self) -> ModelInfo:
        if self._part == "info":
            await for_ever()
        return await super().info()

    async def count_tokens(self, text: str) -> int | None:
        if self._part == "count_tokens":
            await for_ever()
        return await super().count_tokens(text)

    async def is_up(self) -> bool:
        if self._part == "is_up":
            await for_ever()
        return True

    async def aclose(self) -> None:
        if self._part == "aclose":
            await for_ever()


def test_a_provider_that_tells_nothing_of_its_model_is_told() -> None:
    with pytest.raises(PluginError) as raised:
        in_session(lambda s: s.ask(), answers=Silent("info"))
    assert_told(raised.value, "provider scripted", "scripted")


@pytest.mark.parametrize("part", ["count_tokens", "is_up"])
def test_a_provider_that_never_answers_is_told(part: str) -> None:
    async def call(scripted: ScriptedSession) -> None:
        arguments = ["text"] if part == "count_tokens" else []
        await getattr(scripted.session.provider, part)(*arguments)

    with pytest.raises(PluginError) as raised:
        in_session(call, answers=Silent(part))
    assert_told(raised.value, "provider scripted", "scripted")


def test_a_provider_that_never_lets_go_is_told_when_the_session_ends() -> None:
    done, warnings = in_session(lambda s: s.ask(), answers=Silent("aclose"))
    assert done.answer == "One two."
    assert [warning.startswith("plugin scripted kept everything") for warning in warnings] == [True]
