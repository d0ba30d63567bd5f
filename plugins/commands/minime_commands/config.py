"""`mm config`: the settings as they are, where each comes from, and what is wrong with a file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from minime_commands.checking import Checker
from minime_commands.sections import section_classes, section_origins
from minime_core import paths, trust
from minime_core.assembly import load_profiles
from minime_core.cli.group import Invocation
from minime_core.cli.json_output import json_option, print_json
from minime_core.cli.say import say
from minime_core.errors import UserError
from minime_core.plugins import PluginHost, discover
from minime_core.profiles import DEFAULT
from minime_shared.origins import origins


@click.group()
def config() -> None:
    """Show, write and check settings."""


@config.command()
@click.option("--origin", is_flag=True, help="Show where each value comes from too.")
@json_option
@click.pass_obj
def show(invocation: Invocation, origin: bool, as_json: bool) -> None:
    """Show each setting as it holds here.

    The profile that counts is the one that is named, or that matches the named model. With --json
    each value has its origin always.
    """
    found = dict(_origins(invocation))
    if as_json:
        plain = {key: {"value": value, "origin": where} for key, (value, where) in found.items()}
        print_json(plain)
        return
    width = max(map(len, found))
    for key, (value, where) in sorted(found.items()):
        shown = json.dumps(value, ensure_ascii=False)
        click.echo(
            f"{key:<{width}}  {shown:<24}  {where}" if origin else f"{key:<{width}}  {shown}"
        )


def _origins(invocation: Invocation) -> Iterator[tuple[str, tuple[Any, str]]]:
    host, settings = invocation.load()
    profiles = load_profiles(host, invocation.options.cwd)
    settings = profiles.with_server(settings)
    chosen = settings.settings
    name = chosen.profile or (profiles.match(chosen.model) if chosen.model else None)
    merged = settings.above(profiles.load(name or DEFAULT).layers)
    yield from origins(merged).items()
    for section, declared in section_classes(host).items():
        for key, value, where in section_origins(merged, section, declared):
            yield key, (value, where)


@config.command()
@click.option(
    "--project", is_flag=True, help="Write the project's .mm/config.yaml instead of your own file."
)
@click.pass_obj
def init(invocation: Invocation, project: bool) -> None:
    """Write a settings file that shows all settings, each commented out."""
    from minime_commands.template import template

    host, _ = invocation.load()
    own = paths.config_folder() / "config.yaml"
    path = trust.project_config(invocation.options.cwd) if project else own
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(template(section_classes(host)))
    except FileExistsError as error:
        raise UserError(f"{path} exists already; it is left as it is") from error
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror}") from error
    click.echo(path)


@config.command()
@click.argument("file", required=False, type=click.Path(exists=True, path_type=Path))
@click.pass_context
def check(ctx: click.Context, file: Path | None) -> None:
    """Say what is wrong with FILE, or with each settings file that is read here.

    The exit code is 1 when something is.
    """
    options = ctx.obj.options
    places = [paths.config_folder() / "config.yaml", trust.project_config(options.cwd)]
    files = [file] if file else [path for path in (*places, options.config_file) if path]
    present = [path for path in files if path.is_file()]
    if not present:
        raise UserError(f"there is no settings file; `mm config init` writes {places[0]}")
    faults = [fault for path in present for fault in checker(ctx.obj).settings(path)]
    for fault in faults:
        click.echo(str(fault))
    if faults:
        ctx.exit(1)
    for path in present:
        click.echo(f"{path}: nothing to mend")


def checker(invocation: Invocation) -> Checker:
    """Return a checker for the plugins there are, whatever the settings say."""
    host = PluginHost(discover(), say)
    host.load(invocation.options.no_plugins)
    return Checker(section_classes(host), frozenset(info.name for info in host.infos))
