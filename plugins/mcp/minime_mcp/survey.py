"""What a server offers, beside what the user enabled of it."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from minime_core.config import Config
from minime_core.errors import UserError
from minime_core.tools import Tool
from minime_mcp.mcp_tools import as_tool, connect
from minime_mcp.offered import OfferedTool
from minime_mcp.pins import Pins
from minime_mcp.servers import Server, find_server
from minime_mcp.settings import McpSettings
from minime_shared.cleaning import one_line
from minime_shared.cost import cost

State = Literal["on", "off", "changed", "gone"]
CHARACTERS_PER_TOKEN = 4
"""A rule of thumb for JSON schemas and English, with the tokenizers of Qwen and Llama."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A tool of a server.

    state: `changed` and `gone` are tools that were enabled, and are refused.
    """

    state: State
    tool: Tool
    inner: str

    @property
    def cost(self) -> int:
        """Characters in each request."""
        return cost(self.tool)


@dataclass(frozen=True, slots=True)
class Survey:
    """All tools of a server.

    left_out: those that cannot be used, with the reason.
    """

    server: Server
    offered: dict[str, OfferedTool]
    entries: list[Entry]
    left_out: list[str]


async def look_at(config: Config, name: str) -> Survey:
    """Start a server, ask for its tools, and end it. Raises UserError."""
    server = find_server(config, name)
    settings = config.section("mcp", McpSettings)
    connection = connect(server, settings)
    from minime_mcp.connection import ServerFailed

    try:
        found = await connection.open()
    except ServerFailed as failed:
        raise UserError(f"MCP server {name}: {failed}") from failed
    finally:
        await connection.aclose()
    pins = Pins().of(server)
    gone = {inner: pin for inner, pin in pins.items() if inner not in found}
    entries = [
        Entry(_state(inner, found, pins), as_tool(server, tool, settings), inner)
        for inner, tool in sorted({**found, **gone}.items())
    ]
    return Survey(server, found, entries, connection.left_out)


def _state(inner: str, found: dict[str, OfferedTool], pins: dict[str, OfferedTool]) -> State:
    if inner not in found:
        return "gone"
    if inner not in pins:
        return "off"
    return "on" if pins[inner].digest == found[inner].digest else "changed"


async def enable(config: Config, name: str, wanted: Sequence[str]) -> list[Entry]:
    """Enable tools of a server as they are now; all of them or, with a UserError, none."""
    survey = await look_at(config, name)
    for inner in wanted:
        if inner not in survey.offered:
            raise UserError(f"{name} has no tool {one_line(inner, 60)!r}; {_hint(inner, survey)}")
    pins = Pins()
    for inner in wanted:
        pins.enable(survey.server, survey.offered[inner])
    return [entry for entry in survey.entries if entry.inner in wanted]


def _hint(inner: str, survey: Survey) -> str:
    near = difflib.get_close_matches(inner, survey.offered, n=1)
    shown = one_line(near[0], 60) if near else ""
    return f"did you mean {shown}?" if shown else f"`mm mcp tools {survey.server.name}` shows them"


def disable(config: Config, name: str, wanted: Sequence[str]) -> None:
    """Enable tools of a server no longer. Raises UserError."""
    server, pins = find_server(config, name), Pins()
    for inner in wanted:
        if not pins.disable(server, inner):
            there = ", ".join(pins.of(server)) or "none"
            raise UserError(f"{one_line(inner, 60)!r} of {name} is not enabled; enabled: {there}")


def rows(survey: Survey) -> list[str]:
    """Return the tools of a server in lines for the user."""
    lines = [
        f"{entry.state:<8} {one_line(entry.inner, 40):<28} {_price(entry.cost):>30}  "
        f"{one_line(entry.tool.description, 80)}".rstrip()
        for entry in survey.entries
    ]
    now = sum(entry.cost for entry in survey.entries if entry.state == "on")
    everything = sum(entry.cost for entry in survey.entries if entry.state != "gone")
    lines.append(f"in each request now: {_price(now)}; with all of them: {_price(everything)}")
    return [*lines, *(f"left out: {note}" for note in survey.left_out)]


def _price(characters: int) -> str:
    return f"{characters} characters, ~{-(-characters // CHARACTERS_PER_TOKEN)} tokens"


def enabled_lines(entries: Sequence[Entry]) -> list[str]:
    """Return what to say of tools that were just enabled."""
    return [f"{entry.tool.name} is on: {_price(entry.cost)} in each request" for entry in entries]
