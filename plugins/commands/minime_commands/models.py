"""`mm models`: which models can be had, which one `mm` would use, and whether it answers."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import asdict, replace
from itertools import groupby

import click

from minime_core.assembly import load_profiles
from minime_core.cli.completing import MODEL_NAME
from minime_core.cli.group import Invocation, setting_option
from minime_core.cli.json_output import json_option, print_json
from minime_core.cli.say import one_line, say
from minime_core.errors import MinimeError

TOOLS = {
    "template": "tools by its template",
    "text": "tools as text in the prompt",
    "unknown": "tools not told",
}


@click.group(invoke_without_command=True)
@json_option
@click.pass_context
def models(ctx: click.Context, as_json: bool) -> None:
    """List the models that can be had now, and which one `mm` would use.

    The configured server is asked, and the known ports of this machine are looked at. A star marks
    the model that would be used. The window is in tokens, with the place where that number is from.
    """
    if ctx.invoked_subcommand is not None:
        return
    from minime_commands.model_survey import survey

    host, config = ctx.obj.load()
    found = asyncio.run(survey(host, config, load_profiles(host, ctx.obj.options.cwd)))
    if as_json:
        print_json(asdict(found))
        return
    for line in _table([asdict(row) for row in found.models]):
        click.echo(one_line(line))
    used = next((row for row in found.models if row.used), None)
    if used is not None:
        click.echo(one_line(f"mm uses {used.model or 'it'}: {found.why}"))
    if found.error or found.notice:
        say(found.error or found.notice)


def _table(rows: list[dict[str, object]]) -> Iterator[str]:
    for (server, address), group in groupby(rows, lambda row: (row["server"], row["base_url"])):
        yield f"{server}  {address}".rstrip()
        for row in group:
            star = "*" if row["used"] else "-"
            window = f"window {row['window']:,} ({row['window_origin']})" if row["window"] else ""
            facts = [window or "window unknown", TOOLS[str(row["tools"])]]
            facts.append(f"profile {row['profile']}")
            told = f"{row['error']}" if row["error"] else ", ".join(facts)
            yield f"{star} {row['model'] or '(not told)'}: {told}"


OF_A_SERVER = ("model", "provider", "base_url", "profile")
"""Settings that say which model is meant; their options may stand behind `test` too."""


@models.command("test", params=[*map(setting_option, OF_A_SERVER)])
@click.argument("name", required=False, shell_complete=MODEL_NAME)
@click.option(
    "--timeout",
    type=click.IntRange(1),
    default=300,
    show_default=True,
    metavar="SECONDS",
    help="Seconds that all may take; a server may load the model first.",
)
@json_option
@click.pass_context
def test_model(
    ctx: click.Context, /, name: str | None, timeout: int, as_json: bool, **settings: str | None
) -> None:
    """Ask a model for one word and one tool call, and show what came and how fast.

    NAME is a kind of server (`mm models test groq`), a profile, or a model; without it the model
    that `mm` would use is asked. Times are in seconds. When the server fails, its own message is
    shown with the cure, and the exit code is 3; when the answer is not what was asked for, it is 1.
    """
    from minime_commands.model_trial import named, try_model

    invocation: Invocation = ctx.obj
    host, config = invocation.load()
    options = invocation.options
    given = {key: value for key, value in settings.items() if value is not None}
    options = replace(options, flags={**options.flags, **given})
    if name:
        profiles = load_profiles(host, options.cwd).names()
        options = named(host, config, options, name, profiles)
    try:
        trial = asyncio.run(try_model(host, options, timeout))
    except MinimeError as error:
        if as_json:
            print_json({"ok": False, "error": str(error)})
        raise
    if as_json:
        print_json({"ok": trial.ok, **asdict(trial)})
    else:
        address = f" at {trial.base_url}" if trial.base_url else ""
        window = f"{trial.window:,} tokens ({trial.window_origin})" if trial.window else "not told"
        lines = [
            f"model    {trial.model} of {trial.provider}{address}: {trial.why}",
            f"profile  {trial.profile}",
            f"window   {window}",
        ]
        asked = {"answer": trial.answer, "call": trial.call}
        for label, came in asked.items():
            if came is None:
                lines.append(f"{label:<8} not asked for: {TOOLS['text']}")
                continue
            times = f"first piece after {came.first_s:.2f} s, all after {came.total_s:.2f} s"
            counts = f", {came.prompt_tokens} tokens read" if came.prompt_tokens else ""
            lines.append(f"{label:<8} {came.what} ({times}{counts})")
        for line in lines:
            click.echo(one_line(line))
    if not trial.ok:
        ctx.exit(1)
