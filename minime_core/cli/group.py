"""The options of `mm`, and how a word becomes a command or a prompt."""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import click
from click.exceptions import Exit

from minime_core.assembly import Options
from minime_core.cli import completing, plugin_commands
from minime_core.cli.loading import load_host
from minime_core.cli.say import say
from minime_core.cli.stdout import stdout_kept
from minime_core.config import Config
from minime_core.errors import ConfigError, MinimeError, UserError
from minime_core.plugins import PluginHost, discover
from minime_core.settings import Settings

SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "model": {"metavar": "NAME", "shell_complete": completing.MODEL},
    "provider": {"metavar": "NAME", "shell_complete": completing.PROVIDER},
    "base_url": {"metavar": "URL"},
    "profile": {"metavar": "NAME", "shell_complete": completing.PROFILE},
    "max_turns": {"metavar": "N"},
}
"""Settings that have an option, and how it is shown."""


def _version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        click.echo(f"mm {version('mini-me')}")
        ctx.exit()


def setting_option(name: str) -> click.Option:
    """Return the option of a setting in `SETTINGS`."""
    # Checked with all other settings; their MM_ variables are a layer of their own.
    field = next(field for field in fields(Settings) if field.name == name)
    text = field.metadata["help"]
    default = f" [default: {field.default}]" if field.default else ""
    return click.Option(
        [f"--{name.replace('_', '-')}"],
        help=f"{text[0].upper()}{text[1:]}.{default}",
        **SETTINGS[name],
    )


def _option(*names: str, **details: Any) -> click.Option:
    long = next(name for name in names if name.startswith("--"))
    return click.Option(names, envvar=f"MM_{long[2:].upper().replace('-', '_')}", **details)


OPTIONS = (
    click.Option(["-p", "--prompt"], metavar="TEXT", help="Ask this, print the answer, and end."),
    _option(
        "--output",
        type=click.Choice(("text", "json", "jsonl")),
        help="Print the answer of -p as text, as one JSON object, or each event as a line of "
        "JSON. [default: text]",
    ),
    _option(
        "-c",
        "--continue",
        "continue_",
        is_flag=True,
        help="Go on with the newest session of this folder.",
    ),
    _option(
        "--resume",
        metavar="ID",
        shell_complete=completing.SESSION_ID,
        help="Go on with the session whose id is or begins with ID; `mm sessions list` shows them.",
    ),
    *map(setting_option, SETTINGS),
    _option(
        "--config",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Read one more settings file, which counts more than yours and the project's.",
    ),
    _option("--yolo", is_flag=True, help="Run all calls of tools without a question."),
    _option("--read-only", is_flag=True, help="Run no call that changes anything."),
    _option(
        "--cwd",
        type=click.Path(exists=True, file_okay=False, path_type=Path),
        metavar="DIR",
        help="Work in this folder instead of the current one.",
    ),
    _option(
        "--no-plugin",
        multiple=True,
        metavar="NAME",
        shell_complete=completing.PLUGIN,
        help="Do not load this plugin; can be given several times.",
    ),
    _option(
        "--wasm",
        type=click.Path(exists=True, file_okay=False, resolve_path=True),
        multiple=True,
        metavar="DIR",
        help="Look for WASM tools in this folder too; can be given several times.",
    ),
    _option("--no-session", is_flag=True, help="Do not write the session to disk."),
    _option("--debug", is_flag=True, help="Show tracebacks, and what plugins say for it."),
    click.Option(
        ["--version"],
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_version,
        help="Show the version and end.",
    ),
)
"""What `mm` and `mm PROMPT` share."""


class Invocation:
    """What the command line said, and what is loaded because of it. The `obj` of each command.

    params: may lack any of the options, since `--help` is handled before the others are read.
    """

    def __init__(self, params: Mapping[str, Any]) -> None:
        self.params = params
        flags = {name: params[name] for name in SETTINGS if params.get(name) is not None}
        if params.get("yolo") and params.get("read_only"):
            raise click.UsageError("--yolo and --read-only exclude each other")
        if params.get("yolo") or params.get("read_only"):
            flags["policy"] = "yolo" if params.get("yolo") else "read-only"
        try:
            cwd = (params.get("cwd") or Path.cwd()).resolve()
        except OSError as error:
            raise UserError(f"the current folder cannot be used: {error.strerror}") from error
        if params.get("wasm"):
            # For the plugin that runs them: the core knows nothing of modules.
            os.environ["MM_WASM"] = os.pathsep.join(params["wasm"])
        self.options = Options(
            cwd=cwd,
            flags=flags,
            config_file=params.get("config"),
            no_plugins=params.get("no_plugin") or (),
            resume="" if params.get("continue_") else params.get("resume"),
            is_stored=not params.get("no_session"),
            is_debug=bool(params.get("debug")),
        )
        self._loaded: tuple[PluginHost, Config] | None = None

    def load(self) -> tuple[PluginHost, Config]:
        """Return the loaded plugins and the settings."""
        if self._loaded is None:
            with stdout_kept():
                self._loaded = load_host(self.options, say)
        return self._loaded


class Mm(click.Group):
    """A group whose unknown words are a prompt, and that asks plugins for more commands."""

    def invoke(self, ctx: click.Context) -> Any:
        passed = (MinimeError, click.ClickException, click.Abort, Exit, BrokenPipeError)
        try:
            return super().invoke(ctx)
        except passed:
            raise
        except Exception as error:
            host, _ = ctx.obj.load()
            if failure := host.failure(error):
                raise failure from error
            raise

    def add_command(self, cmd: click.Command, name: str | None = None) -> None:
        name = name or cmd.name or ""
        if self.commands.get(name, cmd) is not cmd:
            raise ValueError(f"the command {name} is taken")
        super().add_command(cmd, name)

    def list_commands(self, ctx: click.Context) -> list[str]:
        try:
            self._add_plugin_commands(ctx)
            # Broken settings are told here too, although they keep no command away.
            ctx.obj.load()
        except MinimeError as error:
            say(str(error))
        return super().list_commands(ctx)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        word = args[0]
        if word not in self.commands:
            self._add_plugin_commands(ctx)
        if word in self.commands:
            return super().resolve_command(ctx, args)
        near = difflib.get_close_matches(word, self.commands, n=1, cutoff=0.8)
        if near and len(args) <= 2:
            raise click.UsageError(
                f"no command {word!r}; did you mean `mm {near[0]}`? To ask it: mm -p '{word}'"
            )
        # What stands behind `--` is no option.
        return ask_words.name, ask_words, ["--", *args] if word.startswith("-") else args

    def _add_plugin_commands(self, ctx: click.Context) -> None:
        if ctx.obj is None:
            ctx.obj = Invocation(ctx.params)
        try:
            host, _ = ctx.obj.load()
        except ConfigError:
            # The command may be one that finds what is wrong with the settings.
            host = PluginHost(discover(), say)
            with stdout_kept():
                host.load(ctx.obj.options.no_plugins)
        # They may have been added before, by other objects of the same plugins.
        self.commands = {"plugins": plugin_commands.plugins}
        for _ in host.collect("mm_register_commands", cli=self):
            pass


@click.group(
    cls=Mm,
    params=[*OPTIONS],
    invoke_without_command=True,
    subcommand_metavar="[PROMPT | COMMAND [ARGS]...]",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.pass_context
def cli(ctx: click.Context, /, **params: Any) -> int | None:
    """Mini Me: an agent for small local models.

    `mm` opens a conversation, `mm PROMPT` or `mm -p PROMPT` asks one question. Text piped in is
    added to the prompt; `@path` names a file. Long options can also be set as MM_ and their name in
    capitals, such as MM_BASE_URL.

    \b
    Examples:
      mm                                     converse in this folder
      mm -p "What does @main.py do?"         ask once, print the answer
      git diff | mm -p "Review this"         ask about what is piped in
      mm -c                                  go on with the newest session
      mm --provider ollama --model qwen3:8b  choose server and model
      mm models                              see which models can be had
      mm doctor                              see what keeps mm from working

    \b
    Exit codes: 0 answered, 1 no answer, 2 usage or settings, 3 model server, 4 plugin,
    130 interrupted.
    """
    ctx.obj = Invocation(params)
    if ctx.invoked_subcommand is None:
        from minime_core.cli.ask import ask

        return ask(ctx.obj, ())
    return None


@click.command("PROMPT", params=[*OPTIONS])
@click.argument("words", nargs=-1)
@click.pass_context
def ask_words(ctx: click.Context, /, words: tuple[str, ...], **params: Any) -> int:
    """Ask the words of the command line; options may stand behind them too."""
    from minime_core.cli.ask import ask

    assert ctx.parent is not None
    before = ctx.parent.params
    given = {
        name: (*before[name], *value) if isinstance(value, tuple) else value
        for name, value in params.items()
        if ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
    }
    return ask(Invocation({**before, **given}), words)


cli.add_command(plugin_commands.plugins)
