"""The output of a command: in a file, shown while it comes, read from both ends."""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Callable
from typing import IO

READ_EACH_END = 1 << 20
"""Most bytes that are read from each end of the output."""
MAX_LIVE = 256 << 10
"""Most bytes that are shown while the command runs."""
_PIECE = 64 << 10

# Escape sequences of terminals (ECMA-48: CSI, OSC and two-character ones).
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)|[@-Z\\-_])")


class Output:
    """Reads the file that a command writes to."""

    def __init__(self, file: IO[bytes], emit: Callable[[str], None]) -> None:
        self._descriptor = file.fileno()
        self._emit = emit
        self._shown = 0
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    @property
    def size(self) -> int:
        """Bytes written so far."""
        return os.fstat(self._descriptor).st_size

    def show_new(self) -> None:
        """Emit what came since the last time, up to a limit."""
        wanted = min(_PIECE, MAX_LIVE - self._shown)
        piece = os.pread(self._descriptor, wanted, self._shown) if wanted > 0 else b""
        self._shown += len(piece)
        if text := self._decoder.decode(piece):
            self._emit(text)

    def read_ends(self) -> tuple[str, int]:
        """Return the beginning and the end as text, and the number of bytes between them."""
        size = self.size
        head = os.pread(self._descriptor, READ_EACH_END, 0)
        tail_start = max(size - READ_EACH_END, len(head))
        tail = os.pread(self._descriptor, READ_EACH_END, tail_start)
        left_out = tail_start - len(head)
        if not left_out:
            return _clean(head + tail), 0
        gap = f"\n[... {left_out} bytes left out ...]\n"
        return _clean(head) + gap + _clean(tail), left_out


def _clean(data: bytes) -> str:
    """Return `data` as a terminal would show it, without colours and what was overwritten."""
    text = data.decode("utf-8", "replace")
    if "\x1b" in text:
        text = _ESCAPES.sub("", text)
    return "\n".join(map(_last_written, text.split("\n"))) if "\r" in text else text


def _last_written(line: str) -> str:
    """Return what a progress bar left on its line."""
    return line.rstrip("\r").rpartition("\r")[2]
