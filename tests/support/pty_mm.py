"""`mm` on a real pseudo-terminal, and the screen that a person would see."""

from __future__ import annotations

import fcntl
import os
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Self

import pyte

from pty_fork import Hatched, Nest

MM = (
    sys.executable,
    "-c",
    "import fcntl, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
    "from minime_core.cli.main import main; main()",
)
"""The command with the terminal as its controlling one, so that Ctrl-C is a signal."""
PATIENCE = 30.0
"""Seconds after which what is waited for is taken for something that never comes."""
CTRL_C, CTRL_D, TAB, ENTER = "\x03", "\x04", "\t", "\r"


class _Screen(pyte.HistoryScreen):
    """Answers the questions of the program, as terminals do."""

    def __init__(self, columns: int, lines: int, reply: Callable[[str], None]) -> None:
        super().__init__(columns, lines, history=100_000)
        self._reply = reply

    def write_process_input(self, data: str) -> None:
        self._reply(data)


class PtyProgram:
    """A running program; used as a context manager, which ends it.

    command: its command line.
    env: variables besides those of this process; None takes one away.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str | None] | None = None,
        columns: int = 80,
        lines: int = 24,
    ) -> None:
        self._master, slave = os.openpty()
        self._screen = _Screen(columns, lines, self.type)
        self._stream = pyte.ByteStream(self._screen)
        self.written = b""
        self._set_size(columns, lines)
        wanted = {"TERM": "xterm-256color", "NO_COLOR": None, "COLORTERM": None, **(env or {})}
        inherited = {name: value for name, value in os.environ.items() if name not in wanted}
        given = {name: value for name, value in wanted.items() if value is not None}
        self._process = self._start(command, slave, cwd, inherited | given)
        os.close(slave)
        self._above: list[str] = []
        """The rows that scrolled off, as far as they were asked for."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._master)

    @property
    def pid(self) -> int:
        return self._process.pid

    def type(self, text: str) -> None:
        """Press keys."""
        os.write(self._master, text.encode())

    def ask(self, text: str) -> None:
        """Type a line and send it, once it stands there."""
        self.type(text)
        self.see(text[-20:])
        self.type(ENTER)

    def resize(self, columns: int, lines: int) -> None:
        """Make the window another size."""
        self._screen.resize(lines, columns)
        self._set_size(columns, lines)

    def rows(self) -> list[str]:
        """Return all rows from the first one that was ever shown, without blanks at their ends."""
        scrolled = self._screen.history.top
        new = islice(scrolled, len(self._above), None)
        self._above += [
            "".join(row[column].data for column in range(max(row, default=-1) + 1)).rstrip()
            for row in new
        ]
        return [*self._above, *(row.rstrip() for row in self._screen.display)]

    @property
    def text(self) -> str:
        return "\n".join(self.rows())

    def columns_of(self, character: str) -> list[int]:
        """Return the columns at which a character stands now, row by row."""
        screen = self._screen
        places = ((row, column) for row in range(screen.lines) for column in range(screen.columns))
        return [column for row, column in places if screen.buffer[row][column].data == character]

    @property
    def title(self) -> str:
        """What the program named the window."""
        return str(self._screen.title)

    def see(self, text: str, count: int = 1) -> None:
        """Wait until `text` stands on the screen `count` times."""
        self.until(lambda: self.text.count(text) >= count, text)

    def see_prompt(self) -> None:
        """Wait until the last row is an empty input line."""

        def is_ready() -> bool:
            rows = [row for row in self.rows() if row]
            return bool(rows) and rows[-1] == ">"

        self.until(is_ready, "an empty input line")

    def until(self, is_so: Callable[[], bool], what: str) -> None:
        """Wait until something is so; `what` names it in the failure."""
        end = time.monotonic() + PATIENCE
        while not is_so():
            left = end - time.monotonic()
            if left <= 0 or not self._read(left):
                raise AssertionError(f"never seen: {what}; on the screen:\n{self.text}")

    def end(self) -> int:
        """Read on until the program ends, and return its exit code."""
        end = time.monotonic() + PATIENCE
        while self._read(max(end - time.monotonic(), 0.0)):
            pass
        return self._process.wait(PATIENCE)

    def _start(
        self, command: Sequence[str], slave: int, cwd: Path, env: Mapping[str, str]
    ) -> subprocess.Popen[bytes] | Hatched:
        """Start the program on the terminal."""
        return subprocess.Popen(
            command,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            cwd=cwd,
            env=env,
            start_new_session=True,
        )

    def _read(self, seconds: float) -> bool:
        """Show what the program writes next; return whether it wrote something in time."""
        if not select.select([self._master], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self._master, 1 << 16)
        except OSError:
            return False  # Linux says so when the program has ended.
        self.written += data
        self._stream.feed(data)
        return bool(data)

    def _set_size(self, columns: int, lines: int) -> None:
        size = struct.pack("HHHH", lines, columns, 0, 0)
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, size)


class PtyMm(PtyProgram):
    """A running `mm`; `arguments` are the command line without `mm`."""

    def __init__(self, arguments: Sequence[str], **options: Any) -> None:
        super().__init__([*MM, *arguments], **options)


class QuickPtyMm(PtyProgram):
    """A running `mm` that was forked from `nest`; `arguments` are the command line without `mm`."""

    def __init__(self, arguments: Sequence[str], nest: Nest, **options: Any) -> None:
        self._nest = nest
        super().__init__(arguments, **options)

    def _start(
        self, command: Sequence[str], slave: int, cwd: Path, env: Mapping[str, str]
    ) -> Hatched:
        return self._nest.hatch(command, slave, cwd, env)
