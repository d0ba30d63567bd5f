"""How often the screen is drawn, and how much of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import pairwise

import pytest

from minime_core.events import TextDelta, ThinkingDelta, ToolOutput
from minime_terminal.painter import Painter
from minime_terminal.screen import Screen
from minime_terminal.terminal import Terminal
from minime_terminal.turn import FRAME, Frames
from minime_terminal.view import TurnView
from terminal_screen import Tube


class Timed(TurnView):
    """A view that knows when it was drawn."""

    def __init__(self, tube: Tube, painter: Painter) -> None:
        self.screen = Screen(tube, is_live=True, size=lambda: tube.size, environ={})
        self.times: list[float] = []
        super().__init__(self.screen, painter, {}, lines=3, thoughts="short")

    def draw(self) -> None:
        self.times.append(asyncio.get_running_loop().time())
        super().draw()


class Fixed(Terminal):
    """A terminal whose size does not change."""

    def fit(self) -> None:
        pass


@pytest.fixture
def tube() -> Tube:
    return Tube(columns=60, lines=24)


@pytest.fixture
def view(tube: Tube, make_painter: Callable[..., Painter]) -> Timed:
    return Timed(tube, make_painter(60))


def draw_all(view: Timed, painter: Painter, pieces: int, burst: int) -> None:
    """Show pieces as a server sends them: some at once, then the loop has time for others."""

    async def run() -> None:
        terminal = Fixed(
            screen=view.screen,
            painter=painter,
            reader=None,  # type: ignore[arg-type]  # nobody is asked anything
            complete=lambda words: None,
        )
        frames = Frames(terminal, view)
        for number in range(pieces):
            event = TextDelta(f"word{number} ")
            view.show(event)
            await frames.after(event)
            if number % burst == 0:
                await asyncio.sleep(0)
        frames.close()

    asyncio.run(run())


@pytest.mark.parametrize(("pieces", "burst"), [(12, 1), (3000, 1), (3000, 250), (1200, 400)])
def test_pieces_cause_at_most_twenty_frames_a_second(
    view: Timed, painter: Painter, pieces: int, burst: int
) -> None:
    draw_all(view, painter, pieces, burst)
    # A timer may be early by the resolution of the clock.
    assert all(later - sooner > FRAME * 0.98 for sooner, later in pairwise(view.times))


def view_on(tube: Tube, painter: Painter) -> TurnView:
    screen = Screen(tube, is_live=True, size=lambda: tube.size, environ={})
    return TurnView(screen, painter, {}, lines=3, thoughts="short", clock=lambda: 0.0)


@pytest.mark.sample(3)
@pytest.mark.parametrize("kind", ["paragraph", "code", "list", "table", "thoughts", "output"])
def test_a_frame_after_each_piece_writes_as_many_bytes_as_there_are_pieces(
    kind: str, make_painter: Callable[..., Painter]
) -> None:
    """The work of a frame does not depend on how much came before."""
    pieces = {
        "paragraph": "some **bold** words and `code`, ",
        "code": "call(1, 'text')  # comment\n",
        "list": "- an item of a list with words\n",
        "table": "| one | two words |\n",
        "thoughts": "thinking of it and more. ",
        "output": "a line of output\n",
    }
    begin = {"code": "```python\n", "table": "| a | b |\n|---|---|\n"}.get(kind, "")
    sizes = []
    for count in (80, 320):
        tube = Tube(columns=60, lines=24)
        view = view_on(tube, make_painter(60))
        view.show(TextDelta(begin) if begin else ThinkingDelta(""))
        for _ in range(count):
            piece = pieces[kind]
            if kind == "thoughts":
                view.show(ThinkingDelta(piece))
            elif kind == "output":
                view.show(ToolOutput("1", piece))
            else:
                view.show(TextDelta(piece))
            view.draw()
        sizes.append(sum(map(len, tube.written)))
    assert sizes[1] < 4.6 * sizes[0]
