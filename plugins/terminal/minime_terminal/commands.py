"""The commands of the conversation itself; plugins add theirs by `mm_slash_commands`."""

from __future__ import annotations

import asyncio
import difflib
import re
import textwrap
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from minime_core.assembly import Options, load_profiles
from minime_core.cli.slash_commands import HOOK, slash_commands
from minime_core.errors import UserError
from minime_core.frontends import SlashCommand, Suggestion
from minime_core.models import ModelRef
from minime_core.session import Session
from minime_terminal.choosing import pick

KEYS = (
    "Enter sends. Alt-Enter, or a \\ at the end, begins a new line. Tab completes. Ctrl-R searches "
    "what you asked before. Ctrl-X Ctrl-E opens your editor. Ctrl-C stops, twice it ends, and "
    "so does Ctrl-D. @ names a file, $ begins a question with a skill."
)
MIN_TEXT = 20
"""Columns that are left at least for what stands beside a name."""

_COMMAND = re.compile(r"/([A-Za-z][\w-]*)(?:\s+(.*))?", re.DOTALL)


class Leave(Exception):
    """The conversation goes on in another session, or ends when `options` is None."""

    def __init__(self, options: Options | None) -> None:
        super().__init__()
        self.options = options


class Surroundings(Protocol):
    """What the commands need of the conversation."""

    session: Session
    options: Options
    thoughts: str

    @property
    def width(self) -> int:
        """Columns of a row."""

    async def choose(self, refs: Sequence[ModelRef]) -> ModelRef | None:
        """Let the user choose one."""

    def going_on(self, **flags: object) -> Options:
        """Return options for this conversation with other settings."""

    def plan(self) -> str:
        """Return the plan that the model showed last, "" when it showed none."""


class Commands:
    """The commands of one session, by name."""

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self._session = around.session
        own: list[tuple[str, str, Callable[[str], Awaitable[str]]]] = [
            ("help", "show the commands and keys", self._help),
            ("new", "begin a new conversation", self._new),
            ("model", "choose the model, or name it", self._model),
            ("profile", "show the profiles, or choose one", self._profile),
            ("resume", "go on with another session, by its id", self._resume),
            ("skills", "show the skills", self._skills),
            ("tools", "show the tools, or one of them", self._tools),
            ("plan", "show the model's plan again", self._plan),
            ("thoughts", "show all that the model thought last", self._thoughts),
            ("quit", "end", self._quit),
        ]
        host = self._session.host
        self._all = dict(slash_commands(self._session))
        self._suggestions = [
            suggestion
            for _, suggestion in host.collect("mm_suggestions", Suggestion, session=self._session)
        ]
        # The conversation's own names cannot be taken.
        self._own = {name for name, *_ in own}
        for name in sorted(self._own & self._all.keys()):
            plugin = host.owner(HOOK, name)
            # Built-in ones offer some of them to other frontends.
            if not host.is_builtin(plugin):
                error = ValueError(f"the name {name} is taken by the conversation itself")
                host.report(plugin, f"{HOOK} for {name}", error)
        self._all |= {name: _own(name, summary, run) for name, summary, run in own}

    @property
    def words(self) -> Mapping[str, str]:
        """All that the input line completes, with what it is."""
        commands = {f"/{name}": c.summary for name, c in sorted(self._all.items())}
        return commands | {s.text: s.summary for s in self._suggestions}

    def is_command(self, line: str) -> bool:
        """Return whether `line` is for us; `/skill` and a path such as `/etc` are questions."""
        match = _COMMAND.fullmatch(line.strip())
        return match is not None and f"${match[1]}" not in self.words

    async def run(self, line: str) -> tuple[str, bool]:
        """Run a command line; return what to show, and whether it is Markdown.

        Raises Leave and MinimeError.
        """
        match = _COMMAND.fullmatch(line.strip())
        assert match is not None
        name, arguments = match[1].lower(), (match[2] or "").strip()
        if name not in self._all:
            near = difflib.get_close_matches(name, self._all, n=1)
            hint = f"did you mean /{near[0]}?" if near else "/help shows them"
            raise UserError(f"there is no command /{name}; {hint}")
        return await self._all[name].run(self._session, arguments), name not in self._own

    async def _help(self, arguments: str) -> str:
        rows = {f"/{name}": command.summary for name, command in sorted(self._all.items())}
        return f"{self._table(rows)}\n\n{KEYS}"

    async def _new(self, arguments: str) -> str:
        raise Leave(replace(self._around.options, resume=None))

    async def _model(self, arguments: str) -> str:
        session = self._session
        refs = await asyncio.to_thread(self._listed)
        if arguments.isdecimal() and pick(refs, arguments) is None:
            raise UserError(f"there is no model {arguments}; `/model` lists them")
        if arguments:
            # A server may take names that it does not list.
            ref = pick(refs, arguments) or replace(session.ref, model=arguments)
        elif (chosen := await self._around.choose(refs)) is None:
            return f"{session.ref.model} stays"
        else:
            ref = chosen
        session.host.notify("mm_model_chosen", ref=ref)
        raise Leave(
            self._around.going_on(provider=ref.provider, base_url=ref.base_url, model=ref.model)
        )

    def _listed(self) -> list[ModelRef]:
        config = self._session.config
        return [
            ref for _, ref in self._session.host.collect("mm_list_models", ModelRef, config=config)
        ]

    async def _profile(self, arguments: str) -> str:
        profiles = load_profiles(self._session.host, self._session.cwd)
        if arguments:
            profiles.load(arguments)
            raise Leave(self._around.going_on(profile=arguments))
        rows = {name: str(profiles.values(name).get("summary", "")) for name in profiles.names()}
        profile = self._session.profile
        return f"{self._table(rows)}\n\n{profile.name}: {profile.why}"

    async def _resume(self, arguments: str) -> str:
        if not arguments:
            raise UserError("which session? `/sessions` lists them")
        raise Leave(replace(self._around.options, resume=arguments))

    async def _skills(self, arguments: str) -> str:
        rows = {s.text: s.summary for s in self._suggestions}
        return (
            self._table(rows) if rows else "there are none here; `mm skills list` shows the library"
        )

    async def _tools(self, arguments: str) -> str:
        tools = self._session.tools
        if arguments:
            if arguments not in tools:
                raise UserError(f"there is no tool {arguments}; there are: {', '.join(tools)}")
            tool = tools[arguments]
            return f"{tool.name} {tool.shape}\n\n{tool.description}"
        rows = {name: ", ".join(sorted(tool.effects)) or "nothing" for name, tool in tools.items()}
        return self._table(rows) if rows else "this session has none"

    async def _plan(self, arguments: str) -> str:
        return self._around.plan() or "the model has shown no plan"

    async def _thoughts(self, arguments: str) -> str:
        return self._around.thoughts or "nothing was thought, as far as the server told"

    async def _quit(self, arguments: str) -> str:
        raise Leave(None)

    def _table(self, rows: Mapping[str, str]) -> str:
        return table(rows, self._around.width)


def _own(name: str, summary: str, run: Callable[[str], Awaitable[str]]) -> SlashCommand:
    async def run_it(session: Session, arguments: str) -> str:
        return await run(arguments)

    return SlashCommand(name=name, summary=summary, run=run_it)


def table(rows: Mapping[str, str], width: int) -> str:
    """Return names and what they are in two columns, each text beside or below its name."""
    column = max(map(len, rows), default=0) + 2
    if width - column < MIN_TEXT:
        texts = (
            textwrap.fill(text, width, initial_indent="  ", subsequent_indent="  ")
            for text in rows.values()
        )
        return "\n".join(f"{name}\n{text}" for name, text in zip(rows, texts, strict=True))
    lines = []
    for name, text in rows.items():
        first, *others = textwrap.wrap(text, width - column) or [""]
        lines += [f"{name:<{column}}{first}", *(" " * column + line for line in others)]
    return "\n".join(line.rstrip() for line in lines)
