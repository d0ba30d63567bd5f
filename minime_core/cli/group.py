"""The options of `mm`, and how a word becomes a command or a prompt."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

import click

from minime_core.assembly import Options, load_host
from minime_core.cli import plugin_commands
from minime_core.config import Config
from minime_core.plugins import PluginHost
from minime_core.settings import Settings

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

OUTPUTS = ("text", "json", "jsonl")


def warn(text: str) -> None:
    """Tell the user, on stderr."""
    click.echo(f"mm: {text}", err=True)


def version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version as installed_version

        click.echo(f"mm {installed_version('mini-me')}")
        ctx.exit()


def options(command: Decorated) -> Decorated:
    """Add the options that `mm` and `mm PROMPT` share."""
    helps = {field.name: field.metadata["help"] for field in fields(Settings)}
    folder = click.Path(exists=True, file_okay=False, path_type=Path)
    file = click.Path(exists=True, dir_okay=False, path_type=Path)
    for option in reversed(
        (
            click.option("-p", "--prompt", help="Ask this, print the answer and end."),
            click.option("--output", type=click.Choice(OUTPUTS), envvar="MM_OUTPUT",
                         help="How -p prints: the answer, one JSON object, or each event as JSON."),
            click.option("-c", "--continue", "continue_", is_flag=True,
                         help="Go on with the newest session of this folder."),
            click.option("--resume", metavar="ID", help="Go on with this session."),
            click.option("--model", help=helps["model"]),
            click.option("--provider", help=helps["provider"]),
            click.option("--base-url", help=helps["base_url"]),
            click.option("--profile", help=helps["profile"]),
            click.option("--config", type=file, envvar="MM_CONFIG", metavar="FILE",
                         help="one more settings file"),
            click.option("--yolo", is_flag=True, help="run all calls without a question"),
            click.option("--read-only", is_flag=True, help="run no call that changes anything"),
            click.option("--max-turns", type=click.IntRange(min=1), help=helps["max_turns"]),
            click.option("--cwd", type=folder, envvar="MM_CWD", help="folder to work in"),
            click.option("--no-plugin", multiple=True, envvar="MM_NO_PLUGIN", metavar="NAME",
                         help="do not load this plugin"),
            click.option("--no-session", is_flag=True, envvar="MM_NO_SESSION",
                         help="do not write the session to disk"),
            click.option("--debug", is_flag=True, envvar="MM_DEBUG", help="show tracebacks"),
            click.option("--version", is_flag=True, is_eager=True, expose_value=False,
                         callback=version, help="Show the version and end."),
        )
    ):
        command = option(command)
    return command


class Invocation:
    """What the command line said, and what is loaded because of it. The `obj` of each command.

    params: may lack any of the options, since `--help` is handled before the others are read.
    """

    def __init__(self, params: Mapping[str, Any]) -> None:
        self.params = params
        flags = {
            name: params[name]
            for name in ("model", "provider", "base_url", "profile", "max_turns")
            if params.get(name) is not None
        }
        if params.get("yolo") and params.get("read_only"):
            raise click.UsageError("--yolo and --read-only exclude each other")
        if params.get("yolo") or params.get("read_only"):
            flags["policy"] = "yolo" if params.get("yolo") else "read-only"
        self.options = Options(
            cwd=(params.get("cwd") or Path.cwd()).resolve(),
            flags=flags,
            config_file=params.get("config"),
            no_plugins=params.get("no_plugin") or (),
            resume="" if params.get("continue_") else params.get("resume"),
            is_stored=not params.get("no_session"),
        )
        self._loaded: tuple[PluginHost, Config] | None = None

    def load(self) -> tuple[PluginHost, Config]:
        """Return the loaded plugins and the settings."""
        if self._loaded is None:
            self._loaded = load_host(self.options, warn)
        return self._loaded


class Mm(click.Group):
    """A group whose unknown words are a prompt, and that asks plugins for more commands."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        self._add_plugin_commands(ctx)
        return [name for name in super().list_commands(ctx) if name != ASK]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        word = args[0]
        if word not in self.commands:
            self._add_plugin_commands(ctx)
        if word in self.commands:
            return super().resolve_command(ctx, args)
        near = difflib.get_close_matches(word, self.commands, n=1, cutoff=0.8)
        if near and " " not in word and len(args) <= 2:
            raise click.UsageError(
                f"no command {word!r}; did you mean `mm {near[0]}`? To ask it: mm -p '{word}'"
            )
        return ASK, self.commands[ASK], args

    def _add_plugin_commands(self, ctx: click.Context) -> None:
        if ctx.obj is None:
            ctx.obj = Invocation(ctx.params)
        host, _ = ctx.obj.load()
        for _ in host.collect("mm_register_commands", cli=self):
            pass


ASK = "ask"


@click.group(
    cls=Mm,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@options
@click.pass_context
def cli(ctx: click.Context, /, **params: Any) -> int | None:
    """Mini Me: an agent for small local models.

    `mm` opens a conversation, `mm PROMPT` or `mm -p PROMPT` asks one question. Text piped in is added
    to the prompt; `@path` names a file. All options can be set as MM_ and their name in capitals.

    \b
    Exit codes: 0 answered, 1 no answer, 2 usage or settings, 3 model server, 4 plugin, 130 interrupted.
    """
    ctx.obj = Invocation(params)
    if ctx.invoked_subcommand is None:
        from minime_core.cli.ask import ask

        return ask(ctx.obj, ())
    return None


@cli.command(ASK, hidden=True)
@options
@click.argument("words", nargs=-1)
@click.pass_context
def ask_words(ctx: click.Context, /, words: tuple[str, ...], **params: Any) -> int:
    """Ask the words of the command line; options may stand behind them too."""
    from minime_core.cli.ask import ask

    assert ctx.parent is not None
    given = {
        name: value
        for name, value in params.items()
        if ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
    }
    return ask(Invocation({**ctx.parent.params, **given}), words)


cli.add_command(plugin_commands.plugins)
