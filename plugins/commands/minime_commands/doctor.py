"""`mm doctor`: what keeps `mm` from working here, and how to cure it."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterator
from dataclasses import asdict

import click

from minime_core.cli.finding import Finding
from minime_core.cli.group import Invocation
from minime_core.cli.json_output import json_option, print_json
from minime_core.cli.say import one_line
from minime_core.config import Config, Layer
from minime_core.errors import ConfigError, MinimeError
from minime_core.plugins import PluginHost, discover


@click.command()
@json_option
@click.pass_context
def doctor(ctx: click.Context, as_json: bool) -> None:
    """Look for what keeps `mm` from working here, and tell the cure of each fault.

    Settings, plugins and what these find, trust, server, model, window, tools, profile, folders and
    terminal are looked at; nothing is changed, and the model is asked nothing. The exit code is 1
    when something is a fault, 0 when there are at most warnings.
    """
    found = list(_findings(ctx.obj))
    faults = sum(finding.level == "fault" for finding in found)
    if as_json:
        print_json({"ok": not faults, "findings": [asdict(finding) for finding in found]})
    else:
        width = max(len(finding.area) for finding in found)
        for finding in found:
            line = f"{finding.level:<5}  {finding.area:<{width}}  {finding.text}"
            click.echo(one_line(line))
            if finding.cure:
                click.echo(f"{'':<{width + 9}}cure: {one_line(finding.cure)}")
    if faults:
        ctx.exit(1)


def _findings(invocation: Invocation) -> Iterator[Finding]:
    from minime_commands import house_findings, machine_findings
    from minime_commands.model_findings import model_findings

    yield machine_findings.about()
    broken = ""
    try:
        host, config = invocation.load()
    except MinimeError as error:
        broken = str(error)
        # What is wrong with plugins was said when this command was looked for.
        host = PluginHost(discover())
        host.load(invocation.options.no_plugins)
        config = _of_flags(invocation)
    options = invocation.options
    yield from house_findings.settings(options, host, broken)
    yield from house_findings.plugins(host)
    yield house_findings.project(options.cwd)
    yield from asyncio.run(model_findings(options, host, config))
    try:
        yield from [
            finding
            for _, finding in host.collect("mm_findings", Finding, config=config, cwd=options.cwd)
        ]
    except MinimeError as error:
        yield Finding("plugins", "fault", str(error))
    yield from machine_findings.folders(options.cwd)
    yield from machine_findings.terminal(sys.stdout, os.environ)


def _of_flags(invocation: Invocation) -> Config:
    """Return the settings of the command line alone: the server is looked at all the same."""
    try:
        return Config([Layer("the command line", invocation.options.flags)])
    except ConfigError:
        return Config([])
