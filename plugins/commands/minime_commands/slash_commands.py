"""`/sessions` and `/export`, in a conversation."""

from __future__ import annotations

import os
from pathlib import Path

from minime_commands.session_export.exporting import FORMS, exported, form_of, save
from minime_commands.session_summaries import summaries
from minime_core import paths
from minime_core.errors import UserError
from minime_core.session import Session

MAX_SHOWN = 20


async def list_sessions(session: Session, arguments: str) -> str:
    """Run `/sessions`."""
    found = list(summaries(paths.sessions_folder(session.cwd), lambda _: None))
    lines = [f"- `{s.id}` {s.changed}, {s.questions} asked: {_literal(s.first)}" for s in found]
    if len(lines) > MAX_SHOWN:
        lines[MAX_SHOWN:] = [f"- and {len(lines) - MAX_SHOWN} more: `mm sessions list`"]
    if not lines:
        return "There are none here yet."
    return "\n".join([*lines, "", "Go on with one by `/resume ID`."])


async def export(session: Session, arguments: str) -> str:
    """Run `/export [html|markdown|json] [FILE]`. Raises UserError."""
    form, path = _target(session, arguments.strip())
    if not any(True for _ in session.history.numbered()):
        raise UserError("nothing was said yet: there is nothing to export")
    save(path, exported(form, session.file.id, session.history.records))
    return f"The conversation is in `{path}`."


def _target(session: Session, arguments: str) -> tuple[str, Path]:
    """Return the form, and the file to write."""
    first, _, rest = arguments.partition(" ")
    wanted, name = (first, rest.strip()) if first in FORMS else ("", arguments)
    form = wanted or form_of(Path(name)) or "html"
    return form, session.cwd / (os.path.expanduser(name) or f"{session.file.id}{FORMS[form]}")


def _literal(text: str) -> str:
    """Return `text` as Markdown that shows it as it is."""
    return "".join(f"\\{c}" if c in "\\`*_[]<>~|&" else c for c in text)
