"""Where an exported session goes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from minime_core.errors import UserError
from minime_core.records import Record

FORMS = {"html": ".html", "markdown": ".md", "json": ".json"}
"""The forms of a session, with the end of a file's name."""


def exported(form: str, session_id: str, records: Sequence[Record]) -> str:
    """Return the session in one of `FORMS`."""
    from minime_commands.session_export.as_text import as_json, as_markdown
    from minime_commands.session_export.page import as_page
    from minime_commands.session_export.story import tell

    write = {"html": as_page, "markdown": as_markdown, "json": as_json}[form]
    return write(tell(session_id, records))


def form_of(path: Path) -> str | None:
    """Return the form that a file's name asks for."""
    return next((form for form, end in FORMS.items() if path.suffix.lower() == end), None)


def save(path: Path, text: str) -> None:
    """Write a file that is not there yet, for the user's eyes. Raises UserError."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError as error:
        raise UserError(f"{path} is there already; name another file") from error
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror}") from error
    with open(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
