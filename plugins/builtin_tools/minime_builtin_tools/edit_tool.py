"""The tool `edit_file`."""

from __future__ import annotations

from minime_core.events import FileDiff
from minime_core.tools import Arguments, Tool, ToolContext, ToolResult

_SCHEMA = {
    "type": "object",
    "properties": {
        "path": {"type": "string"},
        "edits": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"old": {"type": "string"}, "new": {"type": "string"}},
                "required": ["old", "new"],
                "additionalProperties": False,
            },
        },
        "dry_run": {"type": "boolean"},
    },
    "required": ["path", "edits"],
    "additionalProperties": False,
}
# The edits themselves are read by `edit_arguments`, which takes more shapes than are advertised.
_ACCEPTED = {
    "type": "object",
    "properties": {"path": {"type": "string"}, "dry_run": {"type": "boolean"}},
    "required": ["path"],
}


def edit_tool() -> Tool:
    """Return the tool."""
    return Tool(
        name="edit_file",
        description=(
            "Replace text in a file.\n"
            "1. `old` is copied from the file, whole lines, without line numbers.\n"
            "2. `old` fits ONE place: add lines around it until it does.\n"
            "3. `new` is the full text that replaces it; empty deletes.\n"
            "4. All edits apply to the file as it was, or none does.\n"
            "5. On an error read the file and correct `old`; do not turn to write_file."
        ),
        schema=_SCHEMA,
        accepts=_ACCEPTED,
        run=_run,
        effects=frozenset({"read", "write"}),
        kind="edit",
        title=lambda arguments: f"edit_file: {arguments['path']}",
        subject=lambda arguments: str(arguments["path"]),
        locations=lambda arguments: (str(arguments["path"]),),
        diff=_diff,
    )


async def _run(arguments: Arguments, context: ToolContext) -> ToolResult:
    from minime_builtin_tools.editing import edit

    return edit(arguments, context)


def _diff(arguments: Arguments, context: ToolContext) -> FileDiff | None:
    from minime_builtin_tools.editing import preview

    return preview(arguments, context)
