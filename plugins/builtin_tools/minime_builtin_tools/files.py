"""The tools `read_file` and `write_file`."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from minime_core.bounds import bound
from minime_core.records import Undo
from minime_core.tools import Arguments, Tool, ToolContext, ToolResult

PATH = {"type": "string"}
MAX_BYTES = 64 << 20
"""Largest file that is read."""


def read_tool() -> Tool:
    """Return the tool `read_file`."""
    return Tool(
        name="read_file",
        description=(
            "Read a text file, or list a folder. edit_file needs the EXACT text: read before you "
            "edit. `start` and `end` are line numbers, for long files; `numbered` shows them."
        ),
        schema={
            "type": "object",
            "properties": {
                "path": PATH,
                "start": {"type": "integer"},
                "end": {"type": "integer"},
                "numbered": {"type": "boolean"},
            },
            "required": ["path"],
            "additionalProperties": False,
        },
        run=_read,
        effects=frozenset({"read"}),
        kind="read",
        title=lambda arguments: f"read_file: {arguments['path']}",
        subject=lambda arguments: str(arguments["path"]),
        locations=lambda arguments: (str(arguments["path"]),),
    )


def write_tool() -> Tool:
    """Return the tool `write_file`."""
    return Tool(
        name="write_file",
        description=(
            "Write a whole new file (folders are made). An existing file is REPLACED: to change one, "
            "use edit_file. `append` adds to the end."
        ),
        schema={
            "type": "object",
            "properties": {
                "path": PATH,
                "content": {"type": "string"},
                "append": {"type": "boolean"},
            },
            "required": ["path", "content"],
            "additionalProperties": False,
        },
        run=_write,
        effects=frozenset({"read", "write"}),
        kind="edit",
        title=lambda arguments: f"write_file: {arguments['path']}",
        subject=lambda arguments: str(arguments["path"]),
        locations=lambda arguments: (str(arguments["path"]),),
    )


def read_regular(path: Path) -> bytes:
    """Return the bytes of a regular file. Raises OSError for anything else."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        info = os.fstat(descriptor)
        if not stat.S_ISREG(info.st_mode):
            raise OSError(0, "it is not a regular file")
        if info.st_size > MAX_BYTES:
            raise OSError(0, f"it is larger than {MAX_BYTES >> 20} MB")
        return file.read()


async def _read(arguments: Arguments, context: ToolContext) -> ToolResult:
    path = context.resolve(arguments["path"])
    try:
        if path.is_dir():
            return ToolResult(text=_listing(path))
        data = read_regular(path)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        return ToolResult(text=f"[read_file: cannot read {path}: {reason}]", ok=False)
    if b"\0" in data[:8192]:
        return ToolResult(
            text=f"[read_file: {path} is not text ({len(data)} bytes); look at it with bash]",
            ok=False,
        )
    lines = data.decode("utf-8", "replace").splitlines()
    start = max(arguments.get("start") or 1, 1)
    end = min(arguments.get("end") or len(lines), len(lines))
    if not lines:
        return ToolResult(text=f"[read_file: {path} is empty]")
    if start > len(lines):
        return ToolResult(text=f"[read_file: {path} has only {len(lines)} lines]", ok=False)
    shown = lines[start - 1 : end]
    if arguments.get("numbered"):
        shown = [f"{number:>5}\t{line}" for number, line in enumerate(shown, start)]
    hint = f"{len(lines)} lines in all; read a part with start and end"
    return ToolResult(text=bound("\n".join(shown), context.max_output - 200, hint))


def _listing(path: Path) -> str:
    names = sorted(entry.name + ("/" if entry.is_dir() else "") for entry in os.scandir(path))
    return "\n".join(names) if names else f"[read_file: the folder {path} is empty]"


async def _write(arguments: Arguments, context: ToolContext) -> ToolResult:
    path = context.resolve(arguments["path"])
    append = bool(arguments.get("append"))
    try:
        before = read_regular(path) if path.exists() else None
        mode = stat.S_IMODE(path.stat().st_mode) if before is not None else 0
        context.remember(Undo(path=str(path), content=before, mode=mode))
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "ab" if append else "wb") as file:
            file.write(arguments["content"].encode())
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        return ToolResult(text=f"[write_file: cannot write {path}: {reason}]", ok=False)
    lines = arguments["content"].count("\n") + 1
    verb = "added to" if append and before is not None else "wrote"
    replaced = ", which replaced what was there" if before is not None and not append else ""
    return ToolResult(text=f"[write_file: {verb} {path}, {lines} lines{replaced}]")
