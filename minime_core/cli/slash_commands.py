"""The commands for a conversation that plugins offer, as every frontend takes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from minime_core.frontends import SlashCommand
from minime_core.session import Session

HOOK = "mm_slash_commands"


def slash_commands(session: Session) -> Mapping[str, SlashCommand]:
    """Return them by name. A name that is taken is refused.

    One of a plugin that did not come with Mini Me raises PluginError when it fails in any way, or
    waits for longer than `plugin_timeout`.
    """
    found: dict[str, SlashCommand] = session.host.named(HOOK, SlashCommand, session=session)
    return {name: _watched(command, session) for name, command in found.items()}


def _watched(command: SlashCommand, session: Session) -> SlashCommand:
    plugin = session.host.owner(HOOK, command.name)
    if session.host.is_builtin(plugin):
        return command

    async def run(session: Session, arguments: str) -> str:
        with session.host.answering(plugin):
            with session.watching.clock(plugin, f"its command /{command.name}"):
                shown = await command.run(session, arguments)
            if not isinstance(shown, str):
                raise TypeError(f"/{command.name} gave {type(shown).__name__} instead of text")
        return shown

    return replace(command, run=run)
