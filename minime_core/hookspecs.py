"""Every hook that a plugin can implement. pluggy collects what they return; the core composes it.

A plugin is a module named by an entry point of the group `minime`. It implements hooks as functions
with the names below, marked with `minime_core.hookimpl`, which take only the arguments they need.
Hooks are called in plugin name order, built-in plugins first. They must return quickly and import
nothing heavy: they register functions that do.
"""

from __future__ import annotations

from collections.abc import Awaitable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pluggy

if TYPE_CHECKING:
    import click

    from minime_core.cli.finding import Finding
    from minime_core.config import Config
    from minime_core.events import Event
    from minime_core.formats import ToolFormat
    from minime_core.frontends import FrontendSpec, SlashCommand, Suggestion
    from minime_core.middleware import ModelLayer, ToolLayer
    from minime_core.models import ModelRef, ProviderSpec
    from minime_core.session import Session
    from minime_core.tools import Tool

GROUP = "minime"

hookspec = pluggy.HookspecMarker(GROUP)
hookimpl = pluggy.HookimplMarker(GROUP)
"""Marks a function of a plugin as a hook."""


# Registration: each called once a process, before the first session.


@hookspec
def mm_register_providers() -> Iterable[ProviderSpec]:  # type: ignore[empty-body]
    """Offer kinds of model servers."""


@hookspec
def mm_register_tools(  # type: ignore[empty-body]
    config: Config, window: int | None, cwd: Path, skill_folders: Sequence[Path]
) -> Iterable[Tool]:
    """Offer tools to the model, once a session. A name that is taken is refused.

    :param config: the session's settings, from which numbers in descriptions may be fixed.
    :param window: tokens of the model's context window, None when unknown.
    :param cwd: the session's folder.
    :param skill_folders: what plugins returned from `mm_register_skills`.
    """


@hookspec
def mm_register_tool_formats() -> Iterable[ToolFormat]:  # type: ignore[empty-body]
    """Offer syntaxes of tool calls in text."""


@hookspec
def mm_register_profiles() -> Iterable[Path]:  # type: ignore[empty-body]
    """Offer model profiles: YAML files."""


@hookspec
def mm_register_skills() -> Iterable[Path]:  # type: ignore[empty-body]
    """Offer folders of skills."""


@hookspec
def mm_register_frontends() -> Iterable[FrontendSpec]:  # type: ignore[empty-body]
    """Offer ways to talk with the user."""


@hookspec
def mm_list_models(config: Config) -> Iterable[ModelRef]:  # type: ignore[empty-body]
    """Tell which models can be had now, best first. Called each time that the user asks."""


@hookspec
def mm_findings(config: Config, cwd: Path) -> Iterable[Finding]:  # type: ignore[empty-body]
    """Tell `mm doctor` what is well and what is wrong with what this plugin needs, with the cure.

    Called each time that the user asks. It may read files, and changes nothing.

    :param config: the settings; those of the command line alone when the files are broken.
    :param cwd: the folder that `mm doctor` looks at.
    """


@hookspec
def mm_register_commands(cli: click.Group) -> None:
    """Add commands to `mm`.

    Called when a command is run that the core does not have, and for `--help`.
    """


@hookspec
def mm_config_model() -> str:  # type: ignore[empty-body]
    """Name the class that declares this plugin's settings, as `module:Class`.

    A dataclass of `setting`s or a pydantic model. The section has the plugin's name. It is imported
    only when some file has that section.
    """


@hookspec(firstresult=True)
def mm_resolve_model(config: Config) -> ModelRef | None:
    """Choose the model for a session; the first plugin that returns one decides.

    Plugins of others are asked before the built-in ones.
    """


@hookspec
def mm_model_chosen(ref: ModelRef) -> None:
    """The user chose a model; remember it for sessions that are not told which."""


# Layers and prompt: each called once a session, unless it says otherwise.


@hookspec
def mm_model_middleware(session: Session) -> Iterable[ModelLayer]:  # type: ignore[empty-body]
    """Offer layers around each request to the model."""


@hookspec
def mm_tool_middleware(session: Session) -> Iterable[ToolLayer]:  # type: ignore[empty-body]
    """Offer layers around each call of a tool. Permission is asked inside of them all."""


@hookspec(firstresult=True)
def mm_rewrite_question(session: Session, question: str) -> str | None:
    """Replace what the user asks before the turn begins, whichever frontend it comes from.

    Called for each question; the first plugin that returns a text decides.
    """


@hookspec
def mm_system_prompt(session: Session) -> str | None:
    """Add a section to the system prompt. It is fixed for the session: no clock, no listing."""


@hookspec
def mm_slash_commands(session: Session) -> Iterable[SlashCommand]:  # type: ignore[empty-body]
    """Offer commands for the conversation, such as `/undo`; what they return is Markdown."""


@hookspec
def mm_suggestions(session: Session) -> Iterable[Suggestion]:  # type: ignore[empty-body]
    """Offer words that a question may begin with."""


# Observers: a failure is reported once, then this observer is muted.


@hookspec
def mm_session_start(session: Session) -> None:
    """A session is ready for its first question."""


@hookspec
def mm_session_end(session: Session) -> Awaitable[None] | None:
    """A session ends. What is returned is awaited."""


@hookspec
def mm_on_event(session: Session, event: Event) -> None:
    """Something happened in a turn. Called for each event, before the frontend sees it."""
