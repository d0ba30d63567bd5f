from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from itertools import permutations

import pytest

from minime_core.events import ModelEvent, TextDelta
from minime_core.messages import ToolCall
from minime_core.middleware import (
    ModelCall,
    ModelLayer,
    Phase,
    ToolCaller,
    ToolLayer,
    compose_model,
    compose_tool,
)
from minime_core.models import ModelRequest
from minime_core.tools import ToolResult
from minime_core.turn import Turn

REQUEST = ModelRequest(model="m", messages=(), turn=Turn(question="q", first=0))


def model_layer(name: str, phase: Phase, order: int = 0) -> ModelLayer:
    async def wrap(request: ModelRequest, call_next: ModelCall) -> AsyncGenerator[ModelEvent, None]:
        async with aclosing(call_next(request)) as events:
            async for event in events:
                assert isinstance(event, TextDelta)
                yield TextDelta(f"{name}({event.text})")

    return ModelLayer(name=name, phase=phase, order=order, wrap=wrap)


async def server(request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
    yield TextDelta(request.model)


def ask(*layers: tuple[str, ModelLayer]) -> str:
    async def collect() -> str:
        async with aclosing(compose_model(layers, server)(REQUEST)) as events:
            return "".join([e.text async for e in events if isinstance(e, TextDelta)])

    return asyncio.run(collect())


def test_without_layers_a_request_goes_to_the_server() -> None:
    assert ask() == "m"


@pytest.mark.parametrize("order", [*permutations(range(4))])
def test_phases_lie_from_the_server_outwards(order: tuple[int, ...]) -> None:
    layers = [
        ("p", model_layer("normalise", Phase.NORMALISE)),
        ("p", model_layer("judge", Phase.JUDGE)),
        ("p", model_layer("retry", Phase.RETRY)),
        ("p", model_layer("observe", Phase.OBSERVE)),
    ]
    assert ask(*(layers[n] for n in order)) == "observe(retry(judge(normalise(m))))"


def test_within_a_phase_the_number_counts_then_the_name_of_the_plugin() -> None:
    asked = ask(
        ("b", model_layer("second", Phase.JUDGE)),
        ("a", model_layer("first", Phase.JUDGE)),
        ("c", model_layer("nearest", Phase.JUDGE, -1)),
        ("a", model_layer("farthest", Phase.JUDGE, 1)),
    )
    assert asked == "farthest(second(first(nearest(m))))"


def test_layers_of_one_plugin_lie_as_it_gave_them() -> None:
    layers = [("a", model_layer(name, Phase.JUDGE)) for name in ("x", "y", "z")]
    assert ask(*layers) == "z(y(x(m)))"


def test_layers_around_tools_are_ordered_alike() -> None:
    def layer(name: str, phase: Phase, order: int = 0) -> ToolLayer:
        async def wrap(call: ToolCall, call_next: ToolCaller) -> ToolResult:
            return ToolResult(text=f"{name}({(await call_next(call)).text})")

        return ToolLayer(name=name, phase=phase, order=order, wrap=wrap)

    async def run(call: ToolCall) -> ToolResult:
        return ToolResult(text=call.name)

    layers = [
        ("a", layer("outer", Phase.OBSERVE)),
        ("b", layer("middle", Phase.JUDGE, 1)),
        ("z", layer("inner", Phase.JUDGE)),
    ]

    async def call(*layers: tuple[str, ToolLayer]) -> str:
        return (await compose_tool(layers, run)(ToolCall(name="f", arguments={}))).text

    assert asyncio.run(call(*layers)) == "outer(middle(inner(f)))"
    assert asyncio.run(call()) == "f"
