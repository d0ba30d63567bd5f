"""`mm eval`: run an evaluation against the model that is configured, and compare two."""

from __future__ import annotations

import asyncio
import json
import re
import time
from pathlib import Path
from typing import Any

import click

from minime_core import paths
from minime_core.cli.group import Invocation
from minime_core.cli.json_output import json_option, print_json
from minime_core.errors import UserError
from minime_evals.cases import SHIPPED, Case, read_cases, wanted
from minime_evals.comparing import FORMAT, compare, differences, load
from minime_evals.outcome import Outcome, summary
from minime_evals.routing import about, ask, check, session_for


@click.group("eval")
def evaluate() -> None:
    """Measure what only a model can tell."""


_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@evaluate.command()
@click.option(
    "--cases",
    type=_FILE,
    metavar="FILE",
    help="Ask the cases of this file instead of the shipped ones.",
)
@click.option(
    "--runs",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    metavar="N",
    help="Ask all cases N times.",
)
@click.option("--first", type=click.IntRange(1), metavar="N", help="Ask the first N cases alone.")
@click.option(
    "--timeout",
    type=click.IntRange(1),
    default=300,
    show_default=True,
    metavar="SECONDS",
    help="Seconds that one case may take.",
)
@click.option(
    "--save",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Save the result to this file instead of one in your state folder.",
)
@json_option
@click.pass_context
def routing(
    ctx: click.Context,
    cases: Path | None,
    runs: int,
    first: int | None,
    timeout: int,
    save: Path | None,
    as_json: bool,
) -> None:
    """Ask the model which skill it loads for each request of a list.

    The shipped cases turn the shipped skills on; with --cases those count that are on here. Nothing
    runs. There is no score to reach: compare two results, one change apart. With --json the result
    is printed when all is done, and the progress goes to stderr. The exit code is 1 when a turn
    failed, since the numbers are then incomplete.
    """
    asked = read_cases(cases or SHIPPED)[:first]
    result = asyncio.run(
        _routing(
            ctx.obj, asked, [] if cases else wanted(asked), runs=runs, limit=timeout, err=as_json
        )
    )
    path = save or _default_path(result["about"]["model"])
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", "utf-8")
    except OSError as error:
        raise UserError(f"cannot save to {path}: {error.strerror}") from error
    kinds = [row["kind"] for run in result["runs"] for row in run]
    click.echo(f"\n{summary(kinds)}\nsaved: {path}", err=as_json)
    if as_json:
        print_json(result)
    if "error" in kinds:
        click.echo("incomplete: turns failed, which says nothing of routing", err=as_json)
        ctx.exit(1)


@evaluate.command("compare")
@click.argument("before", type=_FILE)
@click.argument("after", type=_FILE)
@json_option
def compare_results(before: Path, after: Path, as_json: bool) -> None:
    """Show what moved between the saved results BEFORE and AFTER."""
    if as_json:
        print_json(differences(load(before), load(after)))
        return
    for line in compare(load(before), load(after)):
        click.echo(line)


async def _routing(
    invocation: Invocation,
    cases: list[Case],
    enabled: list[str],
    *,
    runs: int,
    limit: float,
    err: bool,
) -> dict[str, Any]:
    host, config = invocation.load()
    async with session_for(invocation.options, host, config, enabled) as session:
        check(session, cases)
        outcomes: list[list[Outcome]] = []
        for run in range(runs):
            if runs > 1:
                click.echo(f"run {run + 1} of {runs}", err=err)
            outcomes.append([])
            for number, case in enumerate(cases, 1):
                outcome = await ask(session, case, limit)
                outcomes[-1].append(outcome)
                click.echo(outcome.row(number, len(cases)), err=err)
        return {
            "format": FORMAT,
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "about": about(session),
            "runs": [[outcome.plain() for outcome in run] for run in outcomes],
        }


def _default_path(model: str) -> Path:
    name = re.sub(r"[^\w.-]+", "-", model).strip("-.")[-60:] or "model"
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
    return paths.state_folder() / "evals" / f"routing-{name}-{stamp}.json"
