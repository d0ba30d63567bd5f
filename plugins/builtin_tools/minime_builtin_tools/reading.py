"""What the model gets to see of a file or folder."""

from __future__ import annotations

import os

from minime_builtin_tools.edit import FileRefused, NotText
from minime_builtin_tools.edit.document import Document
from minime_builtin_tools.edit.files import refusal
from minime_builtin_tools.excerpt import excerpt
from minime_builtin_tools.file_text import Content, Known, is_missing, read_content, shown
from minime_builtin_tools.listing import listing
from minime_builtin_tools.missing import missing
from minime_core.tools import Arguments, ToolContext, ToolResult

NOTES = 240
"""Characters that are set aside for what is said below the lines."""


def read(arguments: Arguments, context: ToolContext) -> ToolResult:
    """Return the lines that a call of `read_file` asks for, or the names in a folder."""
    path, name = context.resolve(arguments["path"]), shown(arguments["path"])
    try:
        if os.path.isdir(path):
            return ToolResult(text=listing(path, context.max_output))
        content = read_content(path)
    except NotText as kind:
        size = f"{os.path.getsize(path):,} bytes"
        return _failed(f"{name} is not text but {kind}, {size}; look at it with bash")
    except FileRefused as refused:
        if is_missing(refused):
            return ToolResult(text=missing("read_file", arguments["path"], context), ok=False)
        return _failed(f"{name}: {refused}")
    except OSError as error:
        return _failed(f"{name}: {refusal(error)}")
    Known(context.stash).note(path, content.data)
    return _lines(content, name, arguments, context.max_output)


def _lines(content: Content, name: str, arguments: Arguments, room: int) -> ToolResult:
    lines = Document(content.file.text).contents
    if not lines:
        return ToolResult(text=f"[read_file: {name} is empty]")
    first, last = _range(arguments, len(lines))
    if first > len(lines):
        return _failed(f"{name} has only {len(lines)} lines")
    if first > last:
        return _failed(f"start={first} is after end={last}; swap them")
    is_numbered = bool(arguments.get("numbered"))
    found = excerpt(lines, first, last, room=max(room - NOTES, 0), is_numbered=is_numbered)
    notes = []
    if found.gap is None and last - first + 1 < len(lines):
        after = f"; next: start={last + 1}" if last < len(lines) else ""
        notes.append(f"lines {first}-{last} of {len(lines)}{after}")
    if found.cut:
        line = found.cut[0]
        others = f" and {len(found.cut) - 1} more" if len(found.cut) > 1 else ""
        notes.append(
            f"line {line}{others} cut at {found.limit} characters, see the rest with bash: "
            f"sed -n {line}p FILE | cut -c{found.limit + 1}-"
        )
    if content.file.note is not None:
        notes.append(content.file.note)
    text = f"{found.text}\n[read_file: {'; '.join(notes)}]" if notes else found.text
    return ToolResult(text=text)


def _range(arguments: Arguments, count: int) -> tuple[int, int]:
    """Return the first and last line, counted from 1; negative numbers count from the end."""
    first, last = int(arguments.get("start") or 1), int(arguments.get("end") or count)
    first = max(first if first > 0 else count + 1 + first, 1)
    return first, min(last if last > 0 else count + 1 + last, count)


def _failed(text: str) -> ToolResult:
    return ToolResult(text=f"[read_file: {text}]", ok=False)
