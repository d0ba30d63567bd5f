"""The built-in tools: a shell, files, a plan, web pages."""

from __future__ import annotations

from collections.abc import Awaitable, Iterator
from typing import TYPE_CHECKING

from minime_core import hookimpl
from minime_core.frontends import SlashCommand

if TYPE_CHECKING:
    from minime_core.config import Config
    from minime_core.session import Session
    from minime_core.tools import Tool

PLAN_WINDOW = 16_384
"""Tokens of the window from which on `plan` is worth its place in the prompt."""


@hookimpl
def mm_config_model() -> str:
    return "minime_builtin_tools.settings:ToolSettings"


@hookimpl
def mm_register_tools(config: Config, window: int | None) -> Iterator[Tool]:
    from minime_builtin_tools.settings import ToolSettings

    settings = config.section("builtin_tools", ToolSettings)
    if settings.bash:
        from minime_builtin_tools.bash_tool import bash_tool

        yield bash_tool(settings, api_key_env=config.settings.api_key_env)
    if settings.edit:
        from minime_builtin_tools.edit_tool import edit_tool
        from minime_builtin_tools.read_tool import read_tool
        from minime_builtin_tools.write_tool import write_tool

        yield edit_tool()
        yield read_tool()
        yield write_tool(config.settings.max_tokens)
    if settings.plan is True or (settings.plan == "auto" and (window or 0) >= PLAN_WINDOW):
        from minime_builtin_tools.plan_tool import plan_tool

        yield plan_tool()
    if settings.fetch_content:
        from minime_builtin_tools.fetch_tool import fetch_tool

        yield fetch_tool(settings)


@hookimpl
def mm_slash_commands() -> SlashCommand:
    from minime_builtin_tools.undo import undo

    summary = "take back the last question and what its tools wrote"
    return SlashCommand(name="undo", summary=summary, run=undo)


@hookimpl
def mm_session_end(session: Session) -> Awaitable[None] | None:
    """End the jobs that commands left in the background, and name those that stay."""
    stash = session.tool_context().stash
    if "shells" not in stash:
        return None
    from minime_builtin_tools.shell.background import end_jobs

    return end_jobs(stash["shells"], session.notice)
