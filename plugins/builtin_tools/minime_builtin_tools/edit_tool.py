"""The tool `edit_file`."""

from __future__ import annotations

from minime_core.tools import Arguments, Tool, ToolContext, ToolResult


def edit_tool() -> Tool:
    """Return the tool."""
    return Tool(
        name="edit_file",
        description="Replace text in a file.",
        schema={
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
        },
        run=_edit,
        effects=frozenset({"read", "write"}),
        kind="edit",
        title=lambda arguments: f"edit_file: {arguments['path']}",
        subject=lambda arguments: str(arguments["path"]),
        locations=lambda arguments: (str(arguments["path"]),),
    )


async def _edit(arguments: Arguments, context: ToolContext) -> ToolResult:
    return ToolResult(text="[edit_file: not yet]", ok=False)
