"""The user's terminal: what is drawn on it, what is read from it, and what it can do."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.text import Text

from minime_core import paths
from minime_terminal.markdown.layout import Layout
from minime_terminal.painter import Painter, size_of
from minime_terminal.plain_reader import PlainReader
from minime_terminal.reader import Reader
from minime_terminal.screen import Screen
from minime_terminal.settings import TerminalSettings
from minime_terminal.tty_mode import PASTE_ON, quiet


@dataclass(frozen=True, slots=True, kw_only=True)
class Terminal:
    """A terminal that is open for a conversation.

    complete: is told the words that a line may begin with, and what they are.
    paste_on: what tells it to mark what is pasted while a turn runs, "" when it cannot.
    """

    screen: Screen
    painter: Painter
    reader: Reader
    complete: Callable[[Mapping[str, str]], None]
    paste_on: str = ""

    def fit(self) -> None:
        """Paint for the size that the terminal has now."""
        self.painter.resize(size_of(sys.stdout).columns)

    def say(self, text: str, style: str = "", *, is_markdown: bool = False) -> None:
        """Show text of anybody, in rows that stay."""
        self.fit()
        text = self.painter.clean(text)
        if is_markdown:
            self.screen.draw(Layout(self.painter).rows(text))
        else:
            self.screen.draw(self.painter.rows(Text(text, style)))


@contextmanager
def open_terminal(settings: TerminalSettings, cwd: Path) -> Iterator[Terminal]:
    """Open the terminal of this process; it is as it was when the `with` ends."""
    painter = Painter(sys.stdout)
    is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    if not is_terminal or os.environ.get("TERM", "dumb") in ("dumb", "unknown", ""):
        screen = Screen(sys.stdout, is_live=False, size=lambda: size_of(sys.stdout))
        reader = PlainReader(sys.stdin, sys.stdout)
        yield Terminal(screen=screen, painter=painter, reader=reader, complete=lambda words: None)
        return
    from minime_terminal.completion import Completions
    from minime_terminal.prompt_reader import PromptReader

    completions = Completions(cwd)
    history = paths.state_folder() / "history.jsonl"
    with quiet(sys.stdin.fileno()):
        yield Terminal(
            screen=Screen(sys.stdout, is_live=True, size=lambda: size_of(sys.stdout)),
            painter=painter,
            reader=PromptReader(completions, history, settings),
            complete=completions.offer,
            paste_on=PASTE_ON,
        )
