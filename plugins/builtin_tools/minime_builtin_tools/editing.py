"""Edit a file as a call of `edit_file` asks for."""

from __future__ import annotations

from minime_builtin_tools.edit import CannotEncode, FileRefused, NotText, apply
from minime_builtin_tools.edit_arguments import WrongEdits, read_edits
from minime_builtin_tools.file_text import Known, file_diff, is_missing, read_content, shown
from minime_builtin_tools.missing import missing
from minime_builtin_tools.storing import store
from minime_core.events import FileDiff
from minime_core.tools import Arguments, ToolContext, ToolResult


def edit(arguments: Arguments, context: ToolContext) -> ToolResult:
    """Apply the edits of a call, or say why not.

    A file that was never read may be edited: that `old` is in it, once, is proof enough.
    """
    path = context.resolve(arguments["path"])
    name = shown(arguments["path"])
    is_dry = bool(arguments.get("dry_run"))
    try:
        edits, note = read_edits(arguments)
        content = read_content(path)
        if Known(context.stash).has_changed(path, content.data):
            return _refused(
                f"{name} changed on disk since you last read it; nothing was written. "
                "Read it again, then edit"
            )
        outcome = apply(content.file.text, edits)
        if outcome.text is not None and not is_dry:
            store(path, content.data, content.file.encode(outcome.text), context)
    except WrongEdits as wrong:
        return _refused(f"{wrong}; nothing was written")
    except NotText as kind:
        return _refused(f"{name} is not text but {kind}; nothing was written")
    except CannotEncode as refused:
        return _refused(f"{name}: {refused}; nothing was written")
    except FileRefused as refused:
        if is_missing(refused):
            todo = "To make a new file, use write_file"
            return ToolResult(text=missing("edit_file", arguments["path"], context, todo), ok=False)
        return _refused(f"{name}: {refused}; nothing was written")
    lines = [outcome.report(name, dry_run=is_dry)]
    lines += [f"[edit_file: {said}]" for said in (note, content.file.note) if said]
    diff = None
    if outcome.text is not None and not is_dry:
        diff = file_diff(path, content.file.text, outcome.text)
    return ToolResult(
        text="\n".join(lines),
        ok=outcome.text is not None,
        diffs=() if diff is None else (diff,),
    )


def preview(arguments: Arguments, context: ToolContext) -> FileDiff | None:
    """Return what such a call would change; None when that cannot be said."""
    path = context.resolve(arguments["path"])
    try:
        edits, _ = read_edits(arguments)
        old = read_content(path).file.text
    except (WrongEdits, FileRefused, NotText):
        return None
    new = apply(old, edits).text
    return None if new is None else file_diff(path, old, new)


def _refused(text: str) -> ToolResult:
    return ToolResult(text=f"[edit_file: {text}]", ok=False)
