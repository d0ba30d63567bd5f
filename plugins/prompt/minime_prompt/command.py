"""`mm prompt`: what the model reads before the user's first word, and how much of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace

import click

from minime_core import open_session
from minime_core.cli.group import Invocation
from minime_core.cli.json_output import json_option, print_json
from minime_core.cli.say import say
from minime_core.models import ModelRequest
from minime_core.session import Session
from minime_core.tools import Tool
from minime_prompt.capture import first_request
from minime_prompt.parts import Part, system_parts

CHARACTERS_PER_TOKEN = 4
"""What English text and JSON come to with the tokenizers of today; good for an estimate."""


@click.command()
@click.option("--sizes", is_flag=True, help="Show the sizes alone, without the text.")
@json_option
@click.pass_obj
def prompt(invocation: Invocation, sizes: bool, as_json: bool) -> None:
    """Show what the model reads before your first word, by part, and its size."""
    parts = asyncio.run(_parts(invocation))
    if as_json:
        rows = [
            {"part": part.name, "characters": len(part.text), "text": part.text} for part in parts
        ]
        print_json(rows)
        return
    if not sizes:
        for part in parts:
            click.echo(f"{part.text}\n")
    for line in table(parts):
        click.echo(line)


def table(parts: list[Part]) -> Iterator[str]:
    """Yield the lines of the table of sizes."""
    rows = [(part.name, len(part.text)) for part in parts]
    rows.append(("all", sum(size for _, size in rows)))
    width = max(len(name) for name, _ in rows)
    yield f"{'part':<{width}}  characters  tokens (about)"
    for name, size in rows:
        yield f"{name:<{width}}  {size:>10}  {size // CHARACTERS_PER_TOKEN:>6}"


async def _parts(invocation: Invocation) -> list[Part]:
    host, config = invocation.load()
    options = replace(invocation.options, resume=None, is_stored=False)
    session = await open_session(options, host, config, say)
    try:
        return list(sent_parts(session, await first_request(session)))
    finally:
        await session.aclose()


def sent_parts(session: Session, request: ModelRequest) -> Iterator[Part]:
    """Yield the parts of `request` that stand before the question."""
    yield from _system(session, request)
    for message in request.messages[1:-1]:
        yield Part(f"example: {message.role}", message.text)
    for tool in request.tools:
        yield Part(f"tool: {tool.name}", tool_json(tool))


def tool_json(tool: Tool) -> str:
    """Return a tool as it stands in a request."""
    function = {"name": tool.name, "description": tool.description, "parameters": tool.schema}
    value = {"type": "function", "function": function}
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _system(session: Session, request: ModelRequest) -> Iterator[Part]:
    first = request.messages[0]
    if first.role != "system":
        return
    if session.settings.system:
        yield Part("system (your own)", first.text)
        return
    rest = first.text
    for part in system_parts(session):
        yield part
        rest = rest.replace(part.text, "", 1)
    if rest.strip():
        yield Part("system (of other plugins)", rest.strip())
