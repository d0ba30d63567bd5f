"""One turn on the screen: its frames, its clock, and Ctrl-C."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import aclosing, contextmanager

from minime_core.events import (
    Event,
    Heartbeat,
    PromptProgress,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
    ToolOutput,
    TurnDone,
)
from minime_core.session import Session
from minime_terminal.terminal import Terminal
from minime_terminal.view import TurnView

FRAME = 0.05
"""Seconds between two frames: 20 a second are all that a reader notices. After a frame nothing is
read for that long: the server's next pieces gather meanwhile, and cost one waking up instead of
many."""
GATHER = 0.002
"""Seconds without another piece after which a frame is drawn."""
MAX_PIECES = 200
"""Pieces of one frame above which there is no time to wait for more."""
TICK = 1.0
"""Seconds after which the status line counts on."""

_FREQUENT = (TextDelta, ThinkingDelta, ToolCallDelta, ToolOutput, PromptProgress, Heartbeat)


class Frames:
    """Draws a view when it is time to."""

    def __init__(self, terminal: Terminal, view: TurnView) -> None:
        self._terminal = terminal
        self._view = view
        self._loop = asyncio.get_running_loop()
        self._next = 0.0
        """The time before which no other frame is due."""
        self._pieces = 0
        self._is_flood = False
        self._timer: asyncio.TimerHandle | None = None
        self._is_paused = False
        self._draw_later(TICK)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Draw nothing for a while, such as the time of a question to the user."""
        self._view.pause()
        self._is_paused = True
        try:
            yield
        finally:
            self._is_paused = False
            self._view.resume()

    async def after(self, event: Event) -> None:
        """Draw what `event` changed, at once or with the next frame."""
        if not isinstance(event, _FREQUENT):
            self.draw()
            return
        self._pieces += 1
        if self._pieces == 1:
            now = self._loop.time()
            if now < self._next and not self._is_flood:
                await asyncio.sleep(self._next - now)
                now = self._loop.time()
            # It fires once there is nothing more to read, and no sooner than a frame is due.
            self._draw_later(max(GATHER, self._next - now))
        elif self._pieces >= MAX_PIECES and self._loop.time() >= self._next:
            self.draw()

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def draw(self) -> None:
        if not self._is_paused:
            self._terminal.fit()
            self._view.draw()
        self._is_flood = self._pieces >= MAX_PIECES
        self._pieces = 0
        self._next = self._loop.time() + FRAME
        self._draw_later(TICK)

    def _draw_later(self, seconds: float) -> None:
        self.close()
        self._timer = self._loop.call_later(seconds, self.draw)


async def show_turn(
    session: Session,
    question: str,
    terminal: Terminal,
    view: TurnView,
    started: Callable[[Frames], None],
) -> None:
    """Ask, and show what happens until the turn is over. Cancelled, it cancels the turn.

    started: is given the frames, which a question to the user has to pause.
    """
    loop = asyncio.get_running_loop()
    frames = Frames(terminal, view)
    started(frames)
    terminal.screen.write(terminal.paste_on)
    loop.add_signal_handler(signal.SIGWINCH, frames.draw)
    try:
        async with session.run(question) as events, aclosing(events):
            frames.draw()
            async for event in events:
                view.show(event)
                # The view ends itself with the last event; the stream has to come to its end too.
                if not isinstance(event, TurnDone):
                    await frames.after(event)
    finally:
        loop.remove_signal_handler(signal.SIGWINCH)
        frames.close()


class Stopper:
    """What Ctrl-C does while a turn runs: it stops the turn; once more, it ends the program.

    task: the turn.
    stopping: is called when it is being stopped.
    """

    def __init__(self, task: asyncio.Task[None], stopping: Callable[[], None]) -> None:
        self._task = task
        self._stopping = stopping
        self.presses = 0

    def press(self) -> None:
        self.presses += 1
        if self.presses == 1:
            self._task.cancel()
            self._stopping()
        else:
            # A tool takes its time to end; the next press is Python's own.
            asyncio.get_running_loop().remove_signal_handler(signal.SIGINT)

    async def wait(self) -> None:
        """Wait for the turn; whoever cancels this cancels the turn."""
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGINT, self.press)
        try:
            await asyncio.wait([self._task])
        finally:
            loop.remove_signal_handler(signal.SIGINT)
            self._task.cancel()
