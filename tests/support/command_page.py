"""The reference page of all commands, made from the commands themselves."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path

import click

from minime_core.cli import plugin_commands
from minime_core.cli.group import cli
from minime_core.plugins import PluginHost, discover

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "commands.md"
HEAD = """\
# Commands

Everything that can be said to `mm` on the command line. `make docs` writes this page. Each command
prints the same with `--help`; there the commands of your plugins are too.

Complete them in your shell with [`mm completion`](#mm-completion). With `--json` a command prints
JSON in ASCII to stdout, and nothing else there; what went wrong is a line on stderr.
"""

Found = tuple[tuple[str, ...], click.Command, click.Context]


def commands() -> Iterator[Found]:
    """Yield each command of Mini Me with its words and a context for it, outer ones first."""
    root = click.Group("mm", params=cli.params, help=cli.help)
    root.subcommand_metavar = cli.subcommand_metavar
    root.add_command(plugin_commands.plugins)
    host = PluginHost(info for info in discover() if info.builtin)
    for info in host.infos:
        info.state = "found"  # Whatever this user has switched off.
    host.load()
    for _ in host.collect("mm_register_commands", cli=root):
        pass
    yield from _below(("mm",), root, click.Context(root, info_name="mm"))


def _below(words: tuple[str, ...], command: click.Command, ctx: click.Context) -> Iterator[Found]:
    yield words, command, ctx
    if isinstance(command, click.Group):
        for name in command.list_commands(ctx):
            inner = command.get_command(ctx, name)
            assert inner is not None
            context = click.Context(inner, parent=ctx, info_name=name)
            yield from _below((*words, name), inner, context)


def options(command: click.Command) -> list[click.Option]:
    """Return the options of a command that can be seen."""
    return [p for p in command.params if isinstance(p, click.Option) and not p.hidden]


def page() -> str:
    """Return the text of the page."""
    return "\n".join([HEAD, *(line for found in commands() for line in _section(*found))])


def _section(words: tuple[str, ...], command: click.Command, ctx: click.Context) -> Iterator[str]:
    yield f"## {' '.join(words)}\n"
    pieces = " ".join(piece for piece in command.collect_usage_pieces(ctx))
    yield f"`{' '.join(words)} {pieces}`\n".replace(" `", "`")
    yield from _paragraphs(command.help or "")
    rows = [option.get_help_record(ctx) for option in options(command)]
    if any(rows):
        yield "| option | |\n|---|---|"
        yield from (f"| `{_cell(row[0])}` | {_cell(row[1])} |" for row in rows if row)
        yield ""


def _paragraphs(text: str) -> Iterator[str]:
    """Yield the paragraphs of a help text; what click must not wrap stays as it is."""
    for paragraph in inspect.cleandoc(text).split("\n\n"):
        if paragraph.startswith("\b\n"):
            yield f"```text\n{paragraph.removeprefix(chr(8) + chr(10))}\n```\n"
        else:
            yield f"{' '.join(paragraph.split())}\n"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(page())
