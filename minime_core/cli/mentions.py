"""`@path` in a prompt: the name of a file for the model to read, never its content."""

from __future__ import annotations

import os
import re
from pathlib import Path

_MENTION = re.compile(r"""(?<![^\s([{"'])@(?:"([^"]+)"|(\S+))""")
_PUNCTUATION = 8
"""Most characters behind a name that are taken for punctuation."""


def expand_mentions(text: str, cwd: Path) -> str:
    """Replace `@path` or `@"path with spaces"` by `[attached file: ...]`, or folder, if it exists.

    The content is not put in: the model reads it with its tools, where the user sees it and the
    size is bounded. What names no file stays as it is.
    """

    def replace(match: re.Match[str]) -> str:
        quoted, plain = match.groups()
        name = quoted or plain
        for cut in range(1 if quoted else _PUNCTUATION):
            end = len(name) - cut
            # Behind a name stands at most punctuation: `@notes.txt, please`.
            if not end or (cut and name[end].isalnum()):
                break
            if path := _existing(name[:end], cwd):
                kind = "folder" if path.is_dir() else "file"
                return f"[attached {kind}: {path}]{name[end:]}"
        return match[0]

    return _MENTION.sub(replace, text)


def _existing(name: str, cwd: Path) -> Path | None:
    try:
        return (cwd / os.path.expanduser(name)).resolve(strict=True)
    except (OSError, ValueError, RuntimeError):
        return None
