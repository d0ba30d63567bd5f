"""AGENTS.md: what a project wants every agent to know, within a budget."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from minime_core.bounds import bound
from minime_core.events import Notice
from minime_core.session import Session
from minime_prompt.settings import PromptSettings

NAME = "AGENTS.md"
HEADING = f"PROJECT NOTES ({NAME})\n"
WINDOW_SHARE = 0.1
"""Most of the model's window that the notes may take."""
CHARACTERS_PER_TOKEN = 3.5
MAX_READ = 1 << 20
"""Most bytes that are read of the file."""


@dataclass(frozen=True, slots=True)
class ProjectNotes:
    """Notes as they enter the prompt; `length` is how many characters the file has."""

    path: Path
    text: str
    length: int

    @property
    def summary(self) -> str:
        """One line for the user on how much of the file the model reads."""
        shown = len(self.text) - len(HEADING)
        if shown >= self.length:
            return f"{self.path}: {shown} characters are in the prompt"
        return (
            f"{self.path}: {shown} of {self.length} characters are in the prompt "
            "(prompt.agents_md sets the limit)"
        )


def project_notes(session: Session) -> ProjectNotes | None:
    """Return the project's notes, None when there are none or the budget is 0."""
    limit = _budget(session)
    path = _find(session.cwd) if limit else None
    if path is None:
        return None
    try:
        with path.open("rb") as file:
            text = file.read(MAX_READ).decode("utf-8", "replace").strip()
    except OSError:
        return None
    if not text:
        return None
    return ProjectNotes(path, HEADING + bound(text, limit, f"read {NAME}"), len(text))


def announce(session: Session) -> None:
    """Tell the user how large the notes are."""
    if (notes := project_notes(session)) is not None:
        session.emit(Notice("info", notes.summary, "prompt"))


def _budget(session: Session) -> int:
    """Return the most characters of the notes, less where the window is small."""
    limit = session.config.section("prompt", PromptSettings).agents_md
    window = session.settings.context_window or session.info.window
    if window:
        limit = min(limit, int(window * WINDOW_SHARE * CHARACTERS_PER_TOKEN))
    return limit


def _find(cwd: Path) -> Path | None:
    """Return the nearest notes from `cwd` up to the folder that holds its repository."""
    folders = [cwd, *cwd.parents]
    root = next((number for number, f in enumerate(folders) if (f / ".git").exists()), 0)
    return next((f / NAME for f in folders[: root + 1] if (f / NAME).is_file()), None)
