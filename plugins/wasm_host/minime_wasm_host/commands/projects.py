"""`mm tools new`: a project for a module of one's own."""

from __future__ import annotations

import re
from pathlib import Path

import click

from minime_core.cli.group import Invocation
from minime_core.errors import UserError

TEMPLATES = Path(__file__).parents[1] / "templates"
LANGUAGES = ("c", "zig", "rust", "assemblyscript", "tinygo")
_PLACEHOLDER = "TOOLNAME"


@click.command()
@click.argument("language", type=click.Choice(LANGUAGES))
@click.argument("name")
@click.pass_obj
def new(invocation: Invocation, language: str, name: str) -> None:
    """Write a project of a working module into the new folder NAME."""
    if not re.fullmatch("[a-z][a-z0-9_]{0,39}", name):
        raise UserError(f"{name!r} cannot be a name: take small letters, digits and `_`")
    target = invocation.options.cwd / name
    try:
        target.mkdir()
        write_project(language, name, target)
    except FileExistsError as error:
        raise UserError(f"{target} is there already") from error
    except OSError as error:
        raise UserError(f"cannot write {target}: {error.strerror}") from error
    click.echo(f"{target} is written; {target.name}/README.md says how to build it")


def write_project(language: str, name: str, target: Path) -> None:
    """Write the files of a template into `target`, an empty folder."""
    for source in sorted((TEMPLATES / language).rglob("*")):
        inside = str(source.relative_to(TEMPLATES / language)).replace(_PLACEHOLDER, name)
        if source.is_dir():
            (target / inside).mkdir()
        else:
            text = source.read_text("utf-8").replace(_PLACEHOLDER, name)
            (target / inside).write_text(text, "utf-8")
