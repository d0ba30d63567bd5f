"""`@path` in a prompt: the name of a file for the model to read, never its content."""

from __future__ import annotations

import re
from pathlib import Path

_MENTION = re.compile(r'(?<!\S)@(?:"([^"]+)"|(\S+))')


def expand_mentions(text: str, cwd: Path) -> str:
    """Replace each `@path` or `@"path with spaces"` of an existing file by `[attached file: ...]`.

    The content is not put in: the model reads it with its tools, where the user sees it and the
    size is bounded. What names no file stays as it is.
    """

    def replace(match: re.Match[str]) -> str:
        quoted, plain = match.groups()
        name = quoted or plain
        for end in range(len(name), 0, -1):
            path = cwd / Path(name[:end]).expanduser()
            if _exists(path):
                return f"[attached file: {path.resolve()}]{name[end:]}"
            # Behind a name stands at most punctuation: `@notes.txt, please`.
            if quoted or name[end - 1].isalnum():
                break
        return match[0]

    return _MENTION.sub(replace, text)


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False
