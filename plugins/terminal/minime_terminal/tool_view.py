"""A call of a tool on the screen: one line, the first lines of its output, what it changed."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from minime_core.events import ToolDone, ToolStarted
from minime_core.tools import StepStatus
from minime_terminal import figures
from minime_terminal.diff_view import diff_rows
from minime_terminal.painter import Painter
from minime_terminal.plan import plan_line

LIVE_LINES = 5
"""Lines of output that are shown while a tool runs."""
MAX_KEPT = 8_192
"""Characters of that output that are kept."""
DIFF_LINES = 40
"""Lines of a diff that are shown once it is applied; a question shows all of them."""


class ToolView:
    """The call that runs.

    lines: how many lines of its output stay on the screen.
    """

    def __init__(self, started: ToolStarted, painter: Painter, lines: int) -> None:
        self._painter = painter
        self._lines = lines
        self._tail = ""
        self.is_known = False
        """Whether the user has just seen all that the call changes, in a question."""
        self.head = painter.row((painter.signs.call, "cyan"), " ", (started.title, "bold"))

    def add(self, output: str) -> None:
        """Take a piece of output; of much only the end is kept, since only that is shown."""
        self._tail = (self._tail + output)[-MAX_KEPT:]

    def live_rows(self) -> list[str]:
        """Return the last lines of the output so far."""
        shown = self._tail.rstrip("\n").split("\n")[-LIVE_LINES:] if self._tail.strip() else []
        return [self._dim(line) for line in shown]

    def done_rows(self, done: ToolDone) -> list[str]:
        """Return what stays of the call: its diffs, else the first lines of its result."""
        if done.ok and done.diffs:
            limit = 0 if self.is_known else min(DIFF_LINES, self._lines * 5)
            return [
                f"  {row}" for diff in done.diffs for row in diff_rows(diff, self._painter, limit)
            ]
        rows = self._first_lines(done.text)
        if not done.ok:
            rows[:1] = [self._failed(done.text)]
        return rows

    def _first_lines(self, text: str) -> list[str]:
        # A line of a megabyte is cut before it is looked at.
        lines = text.rstrip("\n").split("\n") if text.strip() else []
        rows = [self._dim(line[: self._painter.width * 2]) for line in lines[: self._lines]]
        if self._lines and len(lines) > self._lines:
            more = figures.counted(len(lines) - self._lines, "more line")
            rows.append(self._dim(f"{self._painter.signs.cut} {more}"))
        return rows

    def _failed(self, text: str) -> str:
        first = text.strip().partition("\n")[0][: self._painter.width * 2]
        return self._painter.row("  ", (self._painter.signs.failed, "red"), " ", (first, "dim"))

    def _dim(self, line: str) -> str:
        return self._painter.row(("  " + self._painter.signs.bar + " ", "dim"), (line, "dim"))


def plan_rows(steps: Sequence[tuple[str, StepStatus]], painter: Painter) -> list[str]:
    """Return a plan, one step a row."""
    styles = {"pending": "", "in_progress": "bold", "done": "dim"}
    return [
        row
        for step, status in steps
        for row in painter.rows(Text(painter.clean(f"  {plan_line(step, status)}"), styles[status]))
    ]
