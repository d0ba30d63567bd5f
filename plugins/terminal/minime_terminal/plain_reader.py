"""Lines from a terminal that cannot move its cursor, or from no terminal at all."""

from __future__ import annotations

import asyncio
import os
import signal
import termios
from contextlib import suppress
from typing import TextIO

from minime_terminal.reader import Interrupted
from minime_terminal.safe_text import safe_text

CHUNK = 65_536


class PlainReader:
    """Reads lines; the terminal's own line editing is all there is.

    source: is read by its number; nothing may have been read from it before.
    """

    def __init__(self, source: TextIO, out: TextIO) -> None:
        self._fd = source.fileno()
        self._out = out
        self._bytes = b""
        self._is_over = False
        self._waiting: asyncio.Future[None] | None = None

    async def question(self) -> str:
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGINT, self._interrupt)
        try:
            return await self._line("> ")
        finally:
            loop.remove_signal_handler(signal.SIGINT)

    async def answer(self, prompt: str, text: str = "") -> str:
        self._bytes = b""
        with suppress(termios.error):  # It is no terminal.
            termios.tcflush(self._fd, termios.TCIFLUSH)
        if text:
            # There is no way to put text into the line: it is shown, and nothing typed keeps it.
            self._out.write(safe_text(text) + "\n")
            return await self._line(f"{prompt}(Enter keeps it) ") or text
        return await self._line(prompt)

    def _interrupt(self) -> None:
        """End the waiting for a line; the terminal has forgotten what was typed of it."""
        if self._waiting is not None and not self._waiting.done():
            self._bytes = b""
            self._waiting.set_exception(Interrupted())

    async def _line(self, prompt: str) -> str:
        self._out.write(prompt)
        self._out.flush()
        while b"\n" not in self._bytes:
            if self._is_over:
                raise EOFError
            try:
                await self._readable()
            except (Interrupted, asyncio.CancelledError):
                # What is said next does not stand in the line that was given up.
                self._out.write("\n")
                raise
            piece = os.read(self._fd, CHUNK)
            self._bytes += piece
            self._is_over = not piece
        line, _, self._bytes = self._bytes.partition(b"\n")
        return line.decode("utf-8", "replace")

    async def _readable(self) -> None:
        loop = asyncio.get_running_loop()
        waiting = self._waiting = loop.create_future()
        try:
            loop.add_reader(self._fd, _wake, waiting)
        except PermissionError:
            # What cannot be waited for, such as /dev/null, can always be read.
            return
        try:
            await waiting
        finally:
            self._waiting = None
            loop.remove_reader(self._fd)


def _wake(waiting: asyncio.Future[None]) -> None:
    if not waiting.done():
        waiting.set_result(None)
