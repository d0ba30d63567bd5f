"""`mm sessions`: the sessions of this folder."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

import click

from minime_commands.session_export.exporting import FORMS, exported, form_of, save
from minime_commands.session_summaries import messages, summaries
from minime_core import paths
from minime_core.cli.completing import SESSION_ID
from minime_core.cli.group import Invocation
from minime_core.cli.say import say
from minime_core.errors import SessionFileError, UserError
from minime_core.records import Record, dump
from minime_core.store import SessionFile, find_session, read


@click.group()
def sessions() -> None:
    """List, show, export and remove the sessions of this folder."""


@sessions.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def list_sessions(invocation: Invocation, as_json: bool) -> None:
    """List the sessions, the newest first."""
    found = [*summaries(paths.sessions_folder(invocation.options.cwd), say)]
    if as_json:
        click.echo(json.dumps([asdict(summary) for summary in found], indent=1))
        return
    for s in found:
        tokens = "" if s.tokens is None else f"{s.tokens} tokens"
        click.echo(
            f"{s.id}  {s.changed}  {s.questions:>3} asked  {tokens:>13}  {s.model}  {s.first}"
        )
    if not found:
        say("there are none here yet; each `mm` writes one, and `mm -c` goes on with the newest")


@sessions.command()
@click.argument("session", metavar="ID", shell_complete=SESSION_ID)
@click.option("--json", "as_json", is_flag=True, help="Print all records as JSON.")
@click.pass_obj
def show(invocation: Invocation, session: str, as_json: bool) -> None:
    """Print the conversation of the session ID, or of that whose id begins so."""
    path = _find(invocation, session)
    if as_json:
        for record in read(path).records:
            # ASCII alone: nothing in it reaches a terminal as a control sequence.
            click.echo(json.dumps(json.loads(dump(record))))
        return
    click.echo("\n\n".join(_conversation(read(path).records)))


@sessions.command()
@click.argument("names", nargs=-1, required=True, metavar="ID...", shell_complete=SESSION_ID)
@click.pass_obj
def rm(invocation: Invocation, names: Sequence[str]) -> None:
    """Remove the sessions ID for good. One that is open in another mm stays."""
    for path in [_find(invocation, name) for name in names]:
        file = SessionFile(path)
        try:
            file.resume()
        except SessionFileError as error:
            # What is damaged can be removed, what is in use cannot.
            if "is open in another mm" in str(error):
                raise
        path.unlink()
        file.close()
        click.echo(f"{path.stem} is removed")


@sessions.command()
@click.argument("session", metavar="[ID]", required=False, shell_complete=SESSION_ID)
@click.option("--html", "form", flag_value="html", help="Write one page that needs nothing else.")
@click.option("--markdown", "form", flag_value="markdown", help="Write Markdown.")
@click.option("--json", "form", flag_value="json", help="Write JSON.")
@click.option(
    "--output",
    "-o",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write to FILE, whose end such as .md says what is written; - is standard output.",
)
@click.pass_obj
def export(
    invocation: Invocation, session: str | None, form: str | None, output: Path | None
) -> None:
    """Write the session ID, or the newest, to a file to keep or to share.

    Without --output it goes to where standard output is piped, else to a file named for the ID.
    Turns that were taken back by /undo are left out.
    """
    if session is None:
        path = find_session(paths.sessions_folder(invocation.options.cwd), None)
    else:
        path = _find(invocation, session)
    form = form or (form_of(output) if output else None) or "html"
    text = exported(form, path.stem, read(path).records)
    if str(output) == "-" or (output is None and not sys.stdout.isatty()):
        click.echo(text.encode(), nl=False)
        return
    output = output or Path(f"{path.stem}{FORMS[form]}")
    save(output, text)
    say(f"the session is in {output}")


def _find(invocation: Invocation, wanted: str) -> Path:
    if not wanted:
        raise UserError("an id cannot be empty; `mm sessions list` shows them")
    return find_session(paths.sessions_folder(invocation.options.cwd), wanted)


def _conversation(records: Sequence[Record]) -> Iterator[str]:
    """Yield what was said, safe for any terminal."""
    for record in messages(records):
        message = record.message
        if message.role == "user":
            yield f"> {_safe(message.text)}"
        elif message.role == "tool":
            yield "\n".join(f"  {line}" for line in _safe(message.text).split("\n"))
        elif message.text.strip():
            yield _safe(message.text)
        for call in message.calls:
            yield f"● {_safe(call.name)}: {_safe(json.dumps(dict(call.arguments)))}"


def _safe(text: str) -> str:
    """Return `text` without what a terminal would obey."""
    return "".join(
        c if c in "\n\t" or c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text
    )
