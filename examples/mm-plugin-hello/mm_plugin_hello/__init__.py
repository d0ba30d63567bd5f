"""The plugin `hello` of Mini Me: the hooks; what they register is imported where it is used."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from minime_core import (
    Config,
    ModelLayer,
    ModelRef,
    Phase,
    Provider,
    ProviderSpec,
    Session,
    Tool,
    ToolFormat,
    ToolLayer,
    hookimpl,
)

if TYPE_CHECKING:
    import click

HERE = Path(__file__).parent


@hookimpl
def mm_register_tools() -> Tool:
    from mm_plugin_hello.tools import greet

    return greet


@hookimpl
def mm_register_providers() -> ProviderSpec:
    def make(config: Config, ref: ModelRef) -> Provider:
        from mm_plugin_hello.provider import Echo

        return Echo()

    return ProviderSpec(name="echo", summary="repeats the question", make=make)


@hookimpl
def mm_model_middleware(session: Session) -> ModelLayer:
    from mm_plugin_hello.layers import count_requests

    return ModelLayer(name="hello", phase=Phase.OBSERVE, wrap=count_requests(session))


@hookimpl
def mm_tool_middleware(session: Session) -> ToolLayer:
    from mm_plugin_hello.layers import count_calls

    return ToolLayer(name="hello", phase=Phase.OBSERVE, wrap=count_calls(session))


@hookimpl
def mm_register_tool_formats() -> ToolFormat:
    from mm_plugin_hello.shouting import Shouting

    return Shouting()


@hookimpl
def mm_register_profiles() -> Path:
    return HERE / "echo.yaml"


@hookimpl
def mm_register_skills() -> Path:
    return HERE / "skills"


@hookimpl
def mm_register_commands(cli: click.Group) -> None:
    from mm_plugin_hello.commands import hello

    cli.add_command(hello)
