"""What a file will hold when a text replaces it or follows it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from minime_builtin_tools.edit import (
    CannotEncode,
    FileRefused,
    NotText,
    TextFile,
    decode,
    read_regular,
)
from minime_builtin_tools.edit.document import Document
from minime_builtin_tools.file_text import Known, file_diff, is_missing, shown
from minime_builtin_tools.storing import store
from minime_core.events import FileDiff
from minime_core.tools import Arguments, ToolContext, ToolResult


def write(arguments: Arguments, context: ToolContext) -> ToolResult:
    """Do what a call of `write_file` asks for."""
    path = context.resolve(arguments["path"])
    name = shown(arguments["path"])
    try:
        draft = _draft(path, arguments)
        if draft.is_replacing and Known(context.stash).has_changed(path, draft.old_data or b""):
            return _failed(
                f"{name} changed on disk since you last read it; nothing was written. "
                "Read it again, then decide"
            )
        if draft.old_data == draft.data:
            return ToolResult(text=f"[write_file: {name} holds exactly this already]")
        store(path, draft.old_data, draft.data, context)
    except (FileRefused, CannotEncode) as refused:
        return _failed(f"{name}: {refused}; nothing was written")
    diff = draft.diff(path)
    diffs = () if diff is None else (diff,)
    return ToolResult(text=f"[write_file: {draft.summary(name)}]", diffs=diffs)


def preview(arguments: Arguments, context: ToolContext) -> FileDiff | None:
    """Return what such a call would change; None when that cannot be said."""
    path = context.resolve(arguments["path"])
    try:
        return _draft(path, arguments).diff(path)
    except (FileRefused, CannotEncode):
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Draft:
    """What a file will hold.

    old_data: what it holds now, None when it does not exist.
    old: that as text, None also when it is binary.
    is_added: whether the old text stays and the new one follows it.
    notes: what the model should know of how its text was taken.
    """

    old_data: bytes | None
    old: str | None
    data: bytes
    text: str
    is_added: bool
    notes: tuple[str, ...]

    @property
    def is_replacing(self) -> bool:
        return self.old_data is not None and not self.is_added

    def diff(self, path: Path) -> FileDiff | None:
        """Return the change for the user; None when it is too large, or of a binary file."""
        is_binary = self.old is None and self.old_data is not None
        return None if is_binary else file_diff(path, self.old, self.text)

    def summary(self, name: str) -> str:
        """Return in a few words what was done to the file `name`."""
        new = Document(self.text).contents
        old = Document(self.old or "").contents
        count = f"{len(new)} line{'' if len(new) == 1 else 's'}"
        if self.old_data is None:
            what = f"created {name}, {count}"
        elif self.old is None:
            what = f"replaced {name}, which was binary; it has {count}"
        elif self.is_added:
            what = f"added to {name}, it has {count} now (before: {len(old)})"
        else:
            come, gone = Counter(new) - Counter(old), Counter(old) - Counter(new)
            what = (
                f"replaced {name}, +{come.total()} -{gone.total()} lines; it has {count} now "
                f"(before: {len(old)})"
            )
        return "; ".join([what, *self.notes])


def _draft(path: Path, arguments: Arguments) -> _Draft:
    """Return what `path` will hold; the encoding and line endings of an existing text stay.

    Raises FileRefused, and CannotEncode for characters that cannot be added to the file.
    """
    content, append = arguments["content"], bool(arguments.get("append"))
    old_data, file = _existing(path)
    if file is None and append:
        raise FileRefused("it is not text, nothing can be added to it")
    old = None if file is None or old_data is None else file.text
    file = file or TextFile("")
    notes = []
    ending = Document(file.text).dominant_ending
    if ending not in ("", "\n") and "\r" not in content and "\n" in content:
        content = content.replace("\n", ending)
        name = "CRLF" if ending == "\r\n" else "CR"
        notes.append(f"its {name} line endings are kept")
    is_added = append and old_data is not None
    if is_added and file.text and file.text[-1] not in "\r\n":
        line = len(Document(file.text).contents)
        notes.append(f"line {line} had no newline, your text goes on in it")
    text = file.text + content if is_added else content
    try:
        data = file.encode(text)
    except CannotEncode:
        if is_added:
            raise
        data = TextFile("").encode(text)
        notes.append(f"it is UTF-8 now, {file.encoding} cannot hold this text")
    return _Draft(
        old_data=old_data,
        old=old,
        data=data,
        text=text,
        is_added=is_added,
        notes=tuple(notes),
    )


def _existing(path: Path) -> tuple[bytes | None, TextFile | None]:
    """Return the bytes of a file, None when it does not exist, and its text, None for binary.

    Raises FileRefused.
    """
    try:
        data = read_regular(path)
    except FileRefused as refused:
        if is_missing(refused):
            return None, TextFile("")
        raise
    try:
        return data, decode(data)
    except NotText:
        return data, None


def _failed(text: str) -> ToolResult:
    return ToolResult(text=f"[write_file: {text}]", ok=False)
