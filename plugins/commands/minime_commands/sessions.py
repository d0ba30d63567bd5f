"""`mm sessions`: the sessions of this folder."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import click

from minime_core import paths
from minime_core.cli.completing import SESSION_ID
from minime_core.cli.group import Invocation
from minime_core.cli.say import say
from minime_core.errors import SessionFileError, UserError
from minime_core.records import MessageRecord, Meta, Record, dump
from minime_core.store import SessionFile, find_session, read

MAX_QUESTION = 60
"""Characters of a first question that a list shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What a list shows of a session.

    changed: when it was written last, local time.
    tokens: of the last prompt and its answer, as the server counted them; None when it did not.
    """

    id: str
    changed: str
    model: str
    questions: int
    tokens: int | None
    first: str


@click.group()
def sessions() -> None:
    """List, show and remove the sessions of this folder."""


@sessions.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def list_sessions(invocation: Invocation, as_json: bool) -> None:
    """List the sessions, the newest first."""
    found = [*_summaries(paths.sessions_folder(invocation.options.cwd))]
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


def _find(invocation: Invocation, wanted: str) -> Path:
    if not wanted:
        raise UserError("an id cannot be empty; `mm sessions list` shows them")
    return find_session(paths.sessions_folder(invocation.options.cwd), wanted)


def _summaries(folder: Path) -> Iterator[Summary]:
    for path in sorted(folder.glob("*.jsonl"), key=_changed, reverse=True):
        try:
            records = read(path).records
            changed = time.strftime("%Y-%m-%d %H:%M", time.localtime(path.stat().st_mtime))
        except (SessionFileError, OSError) as error:
            say(str(error))
            continue
        asked = [m.message.text for m in _messages(records) if m.message.role == "user"]
        first = " ".join(asked[0].split()) if asked else ""
        yield Summary(
            id=path.stem,
            changed=changed,
            model=_model(records),
            questions=len(asked),
            tokens=_tokens(records),
            first=first if len(first) <= MAX_QUESTION else f"{first[: MAX_QUESTION - 1]}…",
        )


def _changed(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0


def _messages(records: Sequence[Record]) -> Iterator[MessageRecord]:
    return (record for record in records if isinstance(record, MessageRecord))


def _model(records: Sequence[Record]) -> str:
    values = records[0].values if isinstance(records[0], Meta) else {}
    return str(values.get("model") or "")


def _tokens(records: Sequence[Record]) -> int | None:
    for record in reversed([*_messages(records)]):
        if record.usage is not None and record.usage.prompt_tokens is not None:
            return record.usage.prompt_tokens + (record.usage.completion_tokens or 0)
    return None


def _conversation(records: Sequence[Record]) -> Iterator[str]:
    """Yield what was said, safe for any terminal."""
    for record in _messages(records):
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
