"""The tool `read_file`."""

from __future__ import annotations

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
    )


async def _run(arguments: Arguments, context: ToolContext) -> ToolResult:
    from minime_builtin_tools.reading import read

    return read(arguments, context)
