"""`mm plugins`: works when plugins are broken, since it imports none."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from minime_core.cli import completing
from minime_core.cli.json_output import json_option, print_json
from minime_core.errors import ConfigError, UserError

if TYPE_CHECKING:
    from minime_core.cli.group import Invocation

PATIENCE = 20.0
"""Seconds that a plugin may take to load when it is tried."""


@click.group()
def plugins() -> None:
    """Show plugins, switch them on and off, begin a new one."""


@plugins.command("list")
@json_option
@click.pass_obj
def list_plugins(invocation: Invocation, as_json: bool) -> None:
    """List the installed plugins, without importing them."""
    found = _survey(invocation)
    if as_json:
        print_json(found)
        return
    for facts in found:
        made_for = f" for mini-me {facts['made_for']}" if facts["made_for"] else ""
        origin = f"{facts['distribution']} {facts['version']}{made_for}"
        click.echo(f"{facts['name']:<14} {facts['state']:<9} {origin}".rstrip())


@plugins.command()
@click.argument("name", shell_complete=completing.PLUGIN)
@json_option
@click.pass_obj
def why(invocation: Invocation, name: str, as_json: bool) -> None:
    """Tell all about plugin NAME, and try in a process of its own whether it can be loaded."""
    _check(invocation, [name])
    found = [facts | _try(facts) for facts in _survey(invocation) if facts["name"] == name]
    if as_json:
        print_json(found)
        return
    for facts in found:
        for key, value in facts.items():
            shown = ", ".join(value) if isinstance(value, list) else value
            click.echo(f"{key:<14} {shown}".rstrip())


@plugins.command()
@click.argument(
    "names", nargs=-1, required=True, metavar="NAME...", shell_complete=completing.PLUGIN
)
@click.pass_obj
def disable(invocation: Invocation, names: Sequence[str]) -> None:
    """Do not load the plugins NAME from now on, in any folder."""
    from minime_core.discovery import switched_off, switches

    _check(invocation, names)
    lines = switched_off()
    _write(switches(), [*lines, *(name for name in dict.fromkeys(names) if name not in lines)])


@plugins.command()
@click.argument(
    "names", nargs=-1, required=True, metavar="NAME...", shell_complete=completing.PLUGIN
)
@click.pass_obj
def enable(invocation: Invocation, names: Sequence[str]) -> None:
    """Load the plugins NAME again."""
    from minime_core.discovery import switched_off, switches

    _write(switches(), [line for line in switched_off() if line not in names])
    for facts in _survey(invocation):
        if facts["name"] in names and facts["disabled_by"]:
            raise UserError(f"{facts['name']} is still disabled by {facts['disabled_by']}")


@plugins.command()
@click.argument("name")
def new(name: str) -> None:
    """Write the skeleton of a plugin NAME into the folder mm-plugin-NAME."""
    from minime_core.testing.skeleton import write_skeleton

    for path in write_skeleton(name, Path.cwd()):
        click.echo(path)


def _survey(invocation: Invocation) -> list[dict[str, Any]]:
    """Return what is known of each plugin without importing it."""
    from minime_core.cli.loading import load_config
    from minime_core.cli.say import say
    from minime_core.discovery import discover, switches

    infos = discover()
    disabled = {info.name: str(switches()) for info in infos if info.state == "disabled"}
    try:
        config = load_config(invocation.options, {info.name for info in infos}, say)
        for layer in config.layers:
            if "disabled_plugins" in layer.values:
                disabled |= dict.fromkeys(config.settings.disabled_plugins, layer.origin)
    except ConfigError as error:
        say(str(error))
    disabled |= dict.fromkeys(invocation.options.no_plugins, "--no-plugin")
    return [
        {
            "name": info.name,
            "state": "disabled" if info.name in disabled else "enabled",
            "disabled_by": disabled.get(info.name, ""),
            "distribution": info.distribution,
            "version": info.version,
            "made_for": info.made_for,
            "builtin": info.builtin,
            "module": info.module,
        }
        for info in infos
    ]


def _check(invocation: Invocation, names: Sequence[str]) -> None:
    installed = {facts["name"] for facts in _survey(invocation)}
    if unknown := [name for name in names if name not in installed]:
        raise UserError(f"no plugin {unknown[0]!r} is installed; `mm plugins list` shows them")


def _try(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return what loading the plugin in another process brings: hooks, load time, error."""
    command = [sys.executable, "-m", "minime_core.cli.trial", facts["name"], facts["module"]]
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE
        )
        tried: dict[str, Any] = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        return {"state": "failed", "error": f"loading it takes more than {PATIENCE:.0f} s"}
    except ValueError:
        how = f"loading it ends the process with code {done.returncode}"
        return {"state": "failed", "error": how}
    return tried | ({"state": "failed"} if tried["error"] else {})


def _write(path: Path, lines: Sequence[str]) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{line}\n" for line in lines))
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror}") from error
