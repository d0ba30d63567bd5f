"""`mm profiles`: the model profiles."""

from __future__ import annotations

import json
from pathlib import Path

import click

from minime_commands.config import checker
from minime_commands.sections import section_classes, section_origins
from minime_core import paths
from minime_core.assembly import load_profiles
from minime_core.bundled import bundled
from minime_core.cli.completing import PROFILE
from minime_core.cli.group import Invocation
from minime_core.cli.json_output import json_option, print_json
from minime_core.config import Config
from minime_core.errors import UserError
from minime_core.profiles import Profiles
from minime_shared.origins import origins


@click.group()
def profiles() -> None:
    """Show and check model profiles."""


@profiles.command("list")
@json_option
@click.pass_obj
def list_profiles(invocation: Invocation, as_json: bool) -> None:
    """List the profiles and the model names that they match."""
    host, _ = invocation.load()
    known = load_profiles(host, invocation.options.cwd)
    rows = [
        {
            "name": name,
            "summary": str(known.values(name).get("summary", "")),
            "match": known.patterns(name),
        }
        for name in known.names()
    ]
    if as_json:
        print_json(rows)
        return
    width = max(len(str(row["name"])) for row in rows)
    for row in rows:
        click.echo(f"{row['name']:<{width}}  {row['summary']}")


@profiles.command()
@click.argument("name", shell_complete=PROFILE)
@json_option
@click.pass_obj
def show(invocation: Invocation, name: str, as_json: bool) -> None:
    """Show what a profile sets, with all that it extends, and where each value comes from.

    NAME is a profile, or the name of a model that one matches.
    """
    host, settings = invocation.load()
    known = load_profiles(host, invocation.options.cwd)
    why = ""
    if name not in known.names() and (matching := known.match(name)):
        name, why = matching, known.why(name)
    merged = Config(known.load(name).layers, settings.sections)
    rows = {key: row for key, row in origins(merged).items() if row[1] != "default"}
    for section, declared in section_classes(host).items():
        for key, value, origin in section_origins(merged, section, declared):
            if origin != "default":
                rows[key] = (value, origin)
    if as_json:
        plain = {key: {"value": row[0], "origin": row[1]} for key, row in rows.items()}
        print_json({"name": name, "why": why, "settings": plain})
        return
    if why:
        click.echo(f"{name}: {why}")
    for key, (value, origin) in sorted(rows.items()):
        click.echo(f"{key:<28} {json.dumps(value, ensure_ascii=False):<24} {origin}")


@profiles.command()
@click.argument("name", shell_complete=PROFILE)
@click.pass_context
def check(ctx: click.Context, name: str) -> None:
    """Say what is wrong with a profile.

    NAME is a file, or a profile of yours or of the project. The exit code is 1 when something is
    wrong.
    """
    cwd = ctx.obj.options.cwd
    folders = [cwd / paths.PROJECT_FOLDER / "profiles", paths.config_folder() / "profiles"]
    path = _find(name, [*folders, bundled("profiles")])
    known = Profiles([bundled("profiles"), *reversed(folders), path])
    faults = checker(ctx.obj).profile(path, known)
    for fault in faults:
        click.echo(str(fault))
    if faults:
        ctx.exit(1)
    click.echo(f"{path}: nothing to mend")


def _find(name: str, folders: list[Path]) -> Path:
    file = Path(name)
    candidates = [file, *(folder / f"{name}.yaml" for folder in folders)]
    for path in candidates:
        if path.suffix == ".yaml" and path.is_file():
            return path
    raise UserError(f"there is no file {file} and no profile {name!r}; profiles end in .yaml")
