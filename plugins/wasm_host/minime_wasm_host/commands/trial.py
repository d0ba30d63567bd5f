"""`mm tools test`: one call, without a model."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import click

from minime_core.cli.group import Invocation
from minime_core.cli.say import say
from minime_core.errors import UserError
from minime_core.tools import Tool, ToolContext, ToolResult
from minime_wasm_host.commands.modules import TOOL, all_modules, pick
from minime_wasm_host.module_tools import end_workers, tools_of


@click.command()
@click.argument("name", shell_complete=TOOL)
@click.argument("arguments", default="{}", metavar="[JSON]")
@click.pass_obj
def test(invocation: Invocation, name: str, arguments: str) -> int:
    """Call a tool as the model would, and print what it would read.

    NAME is that of a tool, or of a module that has one. JSON is the object of its arguments, {}
    when it is left out. No question is asked. The exit code is 1 when the call fails.
    """
    _, config = invocation.load()
    tool = _tool(invocation, name)
    given = _object(arguments)
    if faults := tool.faults(given):
        raise UserError(f"wrong arguments: {'; '.join(faults[:3])}; expected {tool.shape}")
    context = ToolContext(
        cwd=invocation.options.cwd, max_output=config.settings.max_output, emit=say
    )
    result = asyncio.run(_called(tool, given, context))
    click.echo(result.text)
    return 0 if result.ok else 1


async def _called(tool: Tool, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
    try:
        return await tool.run(arguments, context)
    finally:
        if (ending := end_workers(context.stash)) is not None:
            await ending


def _tool(invocation: Invocation, name: str) -> Tool:
    """Return the tool that is meant. Raises UserError."""
    for found in all_modules(invocation):
        for tool in tools_of(found.module, found.approval, 0) if found.approval else ():
            if tool.name == name:
                return tool
    found = pick(invocation, name)
    if found.approval is None:
        raise UserError(f"{name} is not trusted: mm tools trust {name}")
    tools = list(tools_of(found.module, found.approval, 1))
    if len(tools) > 1:
        raise UserError(f"{name} has more tools: {', '.join(tool.name for tool in tools)}")
    return tools[0]


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UserError(f"the arguments are not JSON: {error}") from error
    if not isinstance(value, dict):
        raise UserError("the arguments have to be a JSON object")
    return value
