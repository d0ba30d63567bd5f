"""`mm skills`: the skills that are on, the library, and what is wrong with either."""

from __future__ import annotations

import shutil
from pathlib import Path

import click

from minime_core.cli.completing import offering
from minime_core.cli.group import Invocation
from minime_core.cli.json_output import json_option, print_json
from minime_core.errors import UserError
from minime_skills.catalogue import Catalogue, read_catalogue
from minime_skills.mentioned import missing_skills
from minime_skills.places import (
    active_skills,
    project_folder,
    shipped_skill,
    shipped_skills,
    user_folder,
)
from minime_skills.skill import Problem, read_skill


def _shipped_names(invocation: Invocation) -> list[str]:
    return [skill.name for skill in shipped_skills().skills]


def _names(invocation: Invocation) -> list[str]:
    return [*_active(invocation).names, *_shipped_names(invocation)]


SHIPPED = offering(_shipped_names)
SKILL = offering(_names)


@click.group()
def skills() -> None:
    """Show, copy and check skills."""


@skills.command("list")
@json_option
@click.pass_obj
def list_skills(invocation: Invocation, as_json: bool) -> None:
    """List the skills that are on, and the shipped ones that could be."""
    on = _active(invocation)
    rows = [
        {"name": skill.name, "on": skill.name in on.names, "entry": skill.entry, "path": str(path)}
        for skill in [*on.skills, *(s for s in shipped_skills().skills if s.name not in on.names)]
        for path in [skill.path]
    ]
    if as_json:
        print_json(rows)
        return
    for row in rows:
        click.echo(f"{'on ' if row['on'] else 'off'}  {row['entry']}")
    if not on.skills:
        click.echo("\nNone is on: `mm skills add NAME` copies one into this project.")


@skills.command()
@click.argument("name", shell_complete=SKILL)
@json_option
@click.pass_obj
def show(invocation: Invocation, name: str, as_json: bool) -> None:
    """Show what the model reads when it loads the skill NAME."""
    skill = _active(invocation).find(name) or shipped_skill(name, shipped_skills())
    if as_json:
        plain = {key: getattr(skill, key) for key in ("name", "description", "entry", "body")}
        print_json({**plain, "path": str(skill.path), "keywords": skill.keywords})
        return
    click.echo(f"{skill.path}\n{skill.entry}\n\n{skill.body}")


@skills.command()
@click.argument("name", shell_complete=SHIPPED)
@click.option("--user", is_flag=True, help="Copy it for all your projects instead of this one.")
@click.pass_obj
def add(invocation: Invocation, name: str, user: bool) -> None:
    """Copy the shipped skill NAME into this project, where it is on and yours to change."""
    skill = shipped_skill(name, shipped_skills())
    folder = user_folder() if user else project_folder(invocation.options.cwd)
    target = folder / skill.path.parent.name
    if target.exists():
        raise UserError(f"{target} exists already")
    try:
        shutil.copytree(skill.path.parent, target)
    except OSError as error:
        raise UserError(f"cannot copy to {target}: {error}") from error
    click.echo(f"{target} is on from the next session")


@skills.command()
@click.argument("path", required=False, type=click.Path(exists=True, path_type=Path))
@click.pass_context
def check(ctx: click.Context, path: Path | None) -> None:
    """Say what is wrong with the skills that are on, or with those in PATH.

    PATH is a folder of skills, the folder of one, or its file. The exit code is 1 when something is
    wrong.
    """
    if path is None:
        settings = ctx.obj.load()[1].settings
        catalogue = _active(ctx.obj)
        problems = list(catalogue.problems)
        problems += missing_skills(ctx.obj.options.cwd, settings.system, catalogue)
    else:
        catalogue = _read(path)
        problems = list(catalogue.problems)
    for problem in problems:
        click.echo(str(problem))
    if problems:
        ctx.exit(1)
    click.echo(f"{len(catalogue.skills)} skills, nothing to mend")


def _active(invocation: Invocation) -> Catalogue:
    host, config = invocation.load()
    folders = [folder for _, folder in host.collect("mm_register_skills", Path)]
    return active_skills(config, invocation.options.cwd, folders)


def _read(path: Path) -> Catalogue:
    file = path / "SKILL.md" if (path / "SKILL.md").is_file() else path
    if file.is_dir():
        return read_catalogue([file])
    skill = read_skill(file)
    if isinstance(skill, Problem):
        return Catalogue((), (skill,))
    return Catalogue((skill,), skill.problems)
