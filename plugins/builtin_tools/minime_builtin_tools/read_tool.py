"""The tool `read_file`."""

from __future__ import annotations

import re

from minime_core.tools import Arguments, Tool, ToolContext, ToolResult


def read_tool() -> Tool:
    """Return the tool."""
    return Tool(
        name="read_file",
        description=(
            "Read a text file, or list a folder. edit_file needs the EXACT text: read it first, do "
            "not type it from memory. For a part of a long file give the line numbers `start` and "
            "`end`; `numbered` shows them."
        ),
        schema={
            "type": "object",
            "properties": {
                "path": {"type": "string"},
                "start": {"type": "integer"},
                "end": {"type": "integer"},
                "numbered": {"type": "boolean"},
            },
            "required": ["path"],
            "additionalProperties": False,
        },
        run=_run,
        effects=frozenset({"read"}),
        kind="read",
        title=lambda arguments: f"read_file: {arguments['path']}",
        subject=lambda arguments: str(arguments["path"]),
        locations=lambda arguments: (str(arguments["path"]),),
        choices=lambda question, context: {"path": paths_named(question, context)},
    )


def paths_named(question: str, context: ToolContext) -> list[str]:
    """Return the words of `question` that are paths, or look like one; the folder when none is."""
    words = [word.strip("\"'`,;:!?()[]").removesuffix(".") for word in question.split()]
    looks = re.compile(r"[\w.~-]*[/.]\w[\w./-]*|~")
    named = [w for w in words if looks.fullmatch(w) or (w and _exists(w, context))]
    return list(dict.fromkeys(named)) or ["."]


def _exists(word: str, context: ToolContext) -> bool:
    try:
        return context.resolve(word).exists()
    except (OSError, ValueError):
        return False


async def _run(arguments: Arguments, context: ToolContext) -> ToolResult:
    from minime_builtin_tools.reading import read

    return read(arguments, context)
