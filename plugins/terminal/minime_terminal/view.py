"""A turn on the screen: events in, rows out. No logic of the agent."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

from rich.text import Text

from minime_core.events import (
    Event,
    MessageDone,
    Notice,
    Retracted,
    TextDelta,
    ThinkingDelta,
    ToolDone,
    ToolOutput,
    ToolStarted,
    TurnDone,
)
from minime_core.tools import StepStatus, Tool
from minime_terminal.markdown.stream import MarkdownStream
from minime_terminal.painter import Painter
from minime_terminal.plan import steps_of
from minime_terminal.printing import WHY
from minime_terminal.screen import Screen
from minime_terminal.settings import Thoughts
from minime_terminal.status import Status
from minime_terminal.summary import Summary
from minime_terminal.thoughts import ThoughtView
from minime_terminal.tool_view import ToolView, plan_rows

_LEVELS = {"info": "", "warning": "yellow", "error": "red"}


class TurnView:
    """Shows one turn.

    tools: those of the session.
    lines: how many lines of a tool's output stay on the screen.
    clock: seconds.
    """

    def __init__(
        self,
        screen: Screen,
        painter: Painter,
        tools: Mapping[str, Tool],
        *,
        lines: int,
        thoughts: Thoughts,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._clock = clock
        self._paused_at = 0.0
        self._screen = screen
        self._painter = painter
        self._tools = tools
        self._lines = lines
        self._status = Status(painter.signs.more, clock)
        self._summary = Summary(tools, painter.signs, clock)
        self._answer = MarkdownStream(painter)
        self._thoughts = ThoughtView(painter, thoughts, clock)
        self._tool: ToolView | None = None
        self._rows: list[str] = []
        """Rows that stay and are not drawn yet."""
        self._has_answer = False
        """Whether some of the answer that is being written has been shown."""
        self._ends_blank = False
        self.plan: Sequence[tuple[str, StepStatus]] = ()
        """The steps that the model showed last."""

    @property
    def thoughts(self) -> str:
        """All that the model thought in this turn, not clean."""
        return self._thoughts.text

    def show(self, event: Event) -> None:
        """Take an event; it is on the screen after the next `draw`."""
        self._status.see(event)
        self._summary.see(event)
        # The most frequent kinds first: an answer has thousands of pieces.
        if isinstance(event, TextDelta):
            self._end_thoughts()
            self._answer.feed(event.text)
        elif isinstance(event, ThinkingDelta):
            self._thoughts.add(event.text)
        elif isinstance(event, ToolOutput):
            if self._tool is not None:
                self._tool.add(event.text)
        elif isinstance(event, MessageDone):
            self._end_thoughts()
            self._end_answer()
        elif isinstance(event, ToolStarted):
            self._start(event)
        elif isinstance(event, ToolDone):
            self._put(self._tool.done_rows(event) if self._tool is not None else [])
            self._tool = None
        elif isinstance(event, Retracted):
            self._retract(event)
        elif isinstance(event, Notice):
            self._end_answer()
            self._say(event.text, _LEVELS[event.level])
        elif isinstance(event, TurnDone):
            self._end(event)

    def draw(self) -> None:
        """Bring the screen up to date."""
        self._put(self._thoughts.finished())
        self._put_answer(self._answer.finished())
        live = [*self._thoughts.live_rows(), *self._answer.rows()]
        if live and not self._has_answer and not self._ends_blank:
            live.insert(0, "")
        if self._tool is not None:
            live += self._tool.live_rows()
        rows, self._rows = self._rows, []
        self._screen.draw(rows, [*live, self._painter.row((self._status.line(), "dim"))])

    def pause(self) -> None:
        """Take what is live off the screen, for a question or the end; rows that stay are drawn."""
        self._paused_at = self._clock()
        if self._tool is not None:
            self._tool.is_known = True
        rows, self._rows = self._rows, []
        self._screen.draw(rows)

    def resume(self) -> None:
        """Go on after a pause; the time that the user took is not the model's."""
        self._status.restart()
        self._summary.skip(self._clock() - self._paused_at)

    def stopping(self) -> None:
        """Show that the turn is being stopped, until it is."""
        self._status.stop()

    def stop(self, why: str) -> None:
        """End the view of a turn that was stopped: what was done stays on the screen."""
        self._end_thoughts()
        self._end_answer()
        if self._tool is not None:
            self._put(self._tool.live_rows())
        self._say(why, "yellow")
        self._put([""])
        self.pause()

    def _start(self, event: ToolStarted) -> None:
        self._gap()
        self._tool = ToolView(event, self._painter, self._lines)
        self._put([self._tool.head])
        if steps := steps_of(event.call, self._tools):
            self.plan, self._tool = steps, None
            self._put(plan_rows(steps, self._painter))

    def _retract(self, event: Retracted) -> None:
        self._thoughts.retract()
        if event.thinking_only:
            return
        if self._has_answer:
            self._say("(withdrawn: the model begins its answer anew)", "dim")
        self._answer, self._has_answer = MarkdownStream(self._painter), False

    def _end(self, event: TurnDone) -> None:
        self._end_thoughts()
        self._end_answer()
        if event.error is not None:
            self._say(f"mm: {event.error}", "red")
        elif why := WHY.get(event.reason):
            self._say(f"mm: {why}", "yellow")
        self._gap()
        self._put(self._painter.strung(*self._summary.facts(), style="dim"))
        self._put([""])
        self.pause()

    def _end_thoughts(self) -> None:
        self._put(self._thoughts.close())

    def _end_answer(self) -> None:
        self._put_answer([*self._answer.finished(), *self._answer.close()])
        self._answer, self._has_answer = MarkdownStream(self._painter), False

    def _put_answer(self, rows: Sequence[str]) -> None:
        if rows and not self._has_answer:
            self._gap()
            self._has_answer = True
        self._put(rows)

    def _say(self, text: str, style: str) -> None:
        self._put(self._painter.rows(Text(self._painter.clean(text), style)))

    def _put(self, rows: Sequence[str]) -> None:
        if rows:
            self._rows += rows
            self._ends_blank = not rows[-1]

    def _gap(self) -> None:
        if not self._ends_blank:
            self._put([""])
