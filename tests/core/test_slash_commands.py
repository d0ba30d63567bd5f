"""Commands of plugins for a conversation: what they do wrong is told with their plugin."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any

import pytest

from instant_loop import InstantLoop
from minime_core import PluginError, Session, SlashCommand, UserError, hookimpl
from minime_core.cli.slash_commands import slash_commands
from minime_core.testing import scripted_session

Run = Callable[[Session, str], Awaitable[Any]]


def offering(run: Run, name: str = "greet") -> Any:
    command = SlashCommand(name=name, summary="", run=run)
    return SimpleNamespace(mm_slash_commands=hookimpl(lambda session: command))


def typed(*plugins: Any, line: str = "Ann") -> tuple[str, list[str]]:
    """Return what `/greet` shows, and what `mm` warned of; waiting takes no time."""

    async def type_it() -> tuple[str, list[str]]:
        async with scripted_session(plugins=plugins, is_lenient=True) as scripted:
            session = scripted.session
            shown = await slash_commands(session)["greet"].run(session, line)
        return shown, list(scripted.warnings)

    with asyncio.Runner(loop_factory=InstantLoop) as runner:
        return runner.run(type_it())


async def greet(session: Session, rest: str) -> str:
    return f"Hello {rest}"


async def fail(session: Session, rest: str) -> str:
    raise ZeroDivisionError("no luck")


async def number(session: Session, rest: str) -> Any:
    return 7


async def for_ever(session: Session, rest: str) -> str:
    await asyncio.Event().wait()
    return ""


def test_a_command_gets_what_stands_behind_it() -> None:
    assert typed(offering(greet)) == ("Hello Ann", [])


@pytest.mark.parametrize(
    ("run", "said"),
    [
        (fail, "failed: ZeroDivisionError: no luck"),
        (number, "failed: TypeError: /greet gave int instead of text"),
        (for_ever, "kept everything waiting for 60 s in its command /greet"),
    ],
)
def test_what_a_command_does_wrong_is_told_with_its_plugin(run: Run, said: str) -> None:
    with pytest.raises(PluginError) as raised:
        typed(offering(run))
    assert str(raised.value).startswith(f"plugin simplenamespace {said}")


def test_what_the_user_can_mend_stays_an_error_of_the_users() -> None:
    async def refuse(session: Session, rest: str) -> str:
        raise UserError("name somebody")

    with pytest.raises(UserError, match="name somebody"):
        typed(offering(refuse))


def test_a_name_that_is_taken_is_refused() -> None:
    class Other:
        @hookimpl
        def mm_slash_commands(self) -> SlashCommand:
            return SlashCommand(name="greet", summary="", run=fail)

    shown, warnings = typed(offering(greet), Other())
    assert shown == "Hello Ann"
    assert warnings == [
        "plugin other failed in mm_slash_commands for greet: "
        "ValueError: the name greet is taken by plugin simplenamespace"
    ]
