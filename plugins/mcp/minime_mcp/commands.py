"""`mm mcp`: the MCP servers, and which of their tools the model has."""

from __future__ import annotations

import asyncio

import click

from minime_core.cli.completing import offering
from minime_core.cli.group import Invocation
from minime_core.cli.json_output import json_option, print_json
from minime_core.cli.say import say
from minime_mcp.pins import Pins
from minime_mcp.servers import servers
from minime_mcp.survey import disable, enable, enabled_lines, look_at, rows


def _server_names(invocation: Invocation) -> list[str]:
    _, config = invocation.load()
    return [*servers(config)]


def _enabled_names(invocation: Invocation) -> list[str]:
    _, config = invocation.load()
    pins = Pins()
    return [inner for server in servers(config).values() for inner in pins.of(server)]


SERVER = offering(_server_names)
TOOL = offering(_enabled_names)


@click.group()
def mcp() -> None:
    """Show MCP servers, and choose which of their tools the model has."""


@mcp.command("list")
@json_option
@click.pass_obj
def list_servers(invocation: Invocation, as_json: bool) -> None:
    """List the servers of the settings with their enabled tools. Starts none of them."""
    _, config = invocation.load()
    pins = Pins()
    found = [
        {"name": server.name, "place": server.place, "enabled": [*pins.of(server)]}
        for server in servers(config).values()
    ]
    if as_json:
        print_json(found)
        return
    for row in found:
        click.echo(f"{row['name']:<20} {len(row['enabled'])} enabled  {row['place']}")
    if not found:
        say("the setting mcp.servers names none")


@mcp.command()
@click.argument("server", metavar="SERVER", shell_complete=SERVER)
@json_option
@click.pass_obj
def tools(invocation: Invocation, server: str, as_json: bool) -> None:
    """Start SERVER and show its tools with what each would cost in every request."""
    _, config = invocation.load()
    survey = asyncio.run(look_at(config, server))
    if not as_json:
        click.echo("\n".join(rows(survey)))
        return
    found = [
        {
            "name": entry.inner,
            "tool": entry.tool.name,
            "state": entry.state,
            "cost": entry.cost,
            "description": entry.tool.description,
            "schema": entry.tool.schema,
        }
        for entry in survey.entries
    ]
    print_json({"tools": found, "left_out": survey.left_out})


@mcp.command("enable")
@click.argument("server", metavar="SERVER", shell_complete=SERVER)
@click.argument("names", nargs=-1, required=True, metavar="TOOL...")
@click.pass_obj
def enable_tools(invocation: Invocation, server: str, names: tuple[str, ...]) -> None:
    """Give the model each TOOL of SERVER, as it is now. One that changes later is refused."""
    _, config = invocation.load()
    click.echo("\n".join(enabled_lines(asyncio.run(enable(config, server, names)))))


@mcp.command("disable")
@click.argument("server", metavar="SERVER", shell_complete=SERVER)
@click.argument("names", nargs=-1, required=True, metavar="TOOL...", shell_complete=TOOL)
@click.pass_obj
def disable_tools(invocation: Invocation, server: str, names: tuple[str, ...]) -> None:
    """Take each TOOL of SERVER from the model."""
    _, config = invocation.load()
    disable(config, server, names)
    click.echo(f"off: {', '.join(names)}")
