"""The tool `write_file`."""

from __future__ import annotations

from minime_core.events import FileDiff
from minime_core.tools import Arguments, Tool, ToolContext, ToolResult

CHARACTERS_PER_TOKEN = 1.5
"""Half of what tokenizers reach: the other half is for JSON's escapes and what comes before."""


def write_tool(max_tokens: int) -> Tool:
    """Return the tool.

    max_tokens: most tokens of an answer, which a call has to fit into.
    """
    return Tool(
        name="write_file",
        description=(
            "Write a whole file; folders are made. An existing file is REPLACED: to change one, "
            f"use edit_file. Over about {_part(max_tokens)} characters, write the first part, then "
            "add each next part with `append: true`."
        ),
        schema={
            "type": "object",
            "properties": {
                "path": {"type": "string"},
                "content": {"type": "string"},
                "append": {"type": "boolean"},
            },
            "required": ["path", "content"],
            "additionalProperties": False,
        },
        run=_run,
        effects=frozenset({"read", "write"}),
        kind="edit",
        title=lambda arguments: f"write_file: {arguments['path']}",
        subject=lambda arguments: str(arguments["path"]),
        locations=lambda arguments: (str(arguments["path"]),),
        diff=_diff,
    )


def _part(max_tokens: int) -> int:
    """Return the characters of a part: a number that is easy to keep in mind."""
    most = max(int(max_tokens * CHARACTERS_PER_TOKEN), 100)
    digits = str(most)
    return int(digits[0].ljust(len(digits), "0"))


async def _run(arguments: Arguments, context: ToolContext) -> ToolResult:
    from minime_builtin_tools.writing import write

    return write(arguments, context)


def _diff(arguments: Arguments, context: ToolContext) -> FileDiff | None:
    from minime_builtin_tools.writing import preview

    return preview(arguments, context)
