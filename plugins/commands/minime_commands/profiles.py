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
from minime_core.cli.group import Invocation
from minime_core.config import Config
from minime_core.errors import UserError
from minime_core.profiles import Profiles


@click.group()
def profiles() -> None:
    """Show and check model profiles."""


@profiles.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
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
        click.echo(json.dumps(rows, indent=2))
        return
    width = max(len(str(row["name"])) for row in rows)
    for row in rows:
        click.echo(f"{row['name']:<{width}}  {row['summary']}")


@profiles.command()
@click.argument("name")
@click.pass_obj
def show(invocation: Invocation, name: str) -> None:
    """Show what a profile sets, with all that it extends, and where each value comes from.

    NAME is a profile, or the name of a model that one matches.
    """
    host, settings = invocation.load()
    known = load_profiles(host, invocation.options.cwd)
    if name not in known.names() and (matching := known.match(name)):
        click.echo(f"{matching}: {known.why(name)}")
        name = matching
    merged = Config(known.load(name).layers, settings.sections)
    rows = {key: row for key, row in merged.origins().items() if row[1] != "default"}
    for section, declared in section_classes(host).items():
        for key, value, origin in section_origins(merged, section, declared):
            if origin != "default":
                rows[key] = (value, origin)
    for key, (value, origin) in sorted(rows.items()):
        click.echo(f"{key:<28} {json.dumps(value, ensure_ascii=False):<24} {origin}")


@profiles.command()
@click.argument("name")
@click.pass_context
def check(ctx: click.Context, name: str) -> None:
    """Say what is wrong with a profile. NAME is a file, or a profile of yours or of the project."""
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
