"""What the user asked before, across sessions: a file of JSON strings, one a line, newest last."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from prompt_toolkit.history import History

MAX_READ = 256 << 10
"""Bytes of the file's end that are read, so that its size does not matter to who types."""
MAX_FILE = 4 << 20
"""Bytes above which the file is cut to its end."""
MAX_ENTRY = 32 << 10
"""Bytes of one question above which it is not remembered."""


class HistoryFile(History):
    """A history in a file. A disk that cannot be written costs the history, not the question."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path

    def load_history_strings(self) -> Iterator[str]:
        try:
            with self._path.open("rb") as file:
                size = file.seek(0, os.SEEK_END)
                start = file.seek(max(size - MAX_READ, 0))
                lines = file.read().split(b"\n")
        except OSError:
            return
        # The first line may have been cut, the last one is empty.
        whole = lines[1:-1] if start else lines[:-1]
        if size > MAX_FILE:
            self._cut(b"\n".join([*whole, b""]))
        previous = ""
        for line in reversed(whole):
            with suppress(ValueError):
                text = json.loads(line)
                if isinstance(text, str) and text != previous:
                    yield text
                    previous = text

    def store_string(self, string: str) -> None:
        line = json.dumps(string).encode() + b"\n"
        if len(line) > MAX_ENTRY:
            return
        with suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
            fd = os.open(self._path, flags, 0o600)
            try:
                os.write(fd, line)
            finally:
                os.close(fd)

    def _cut(self, end: bytes) -> None:
        temporary = self._path.with_suffix(".new")
        with suppress(OSError):
            temporary.touch(0o600)
            temporary.write_bytes(end)
            temporary.replace(self._path)
