"""A painter that knows its terminal, and `mm` on a real one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any, TypeAlias

import pytest

from minime_core.testing import Mm
from minime_core.testing.steps import Reply
from minime_terminal.painter import Painter
from pty_fork import Nest
from pty_mm import QuickPtyMm
from terminal_screen import Out


@pytest.fixture
def make_painter(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Painter]:
    """Return a function that makes a painter for a terminal of that width and encoding."""

    def make(
        columns: int = 80,
        encoding: str = "utf-8",
        term: str = "xterm-256color",
        no_color: bool = False,
    ) -> Painter:
        monkeypatch.setenv("TERM", term)
        for name in ("NO_COLOR", "COLORTERM", "FORCE_COLOR"):
            monkeypatch.delenv(name, raising=False)
        if no_color:
            monkeypatch.setenv("NO_COLOR", "1")
        painter = Painter(Out(encoding))
        painter.resize(columns)
        return painter

    return make


@pytest.fixture
def painter(make_painter: Callable[..., Painter]) -> Painter:
    return make_painter()


Start: TypeAlias = Callable[..., QuickPtyMm]


@pytest.fixture(scope="session")
def nest() -> Iterator[Nest]:
    """Return what `mm` is forked from."""
    nest = Nest()
    yield nest
    nest.close()


@pytest.fixture
def start(mm: Mm, nest: Nest) -> Iterator[Start]:
    """Return a function that starts `mm` with those answers and waits for its input line."""
    with ExitStack() as stack:

        def begin(*replies: Reply, options: tuple[str, ...] = (), **terminal: Any) -> QuickPtyMm:
            mm.server.enqueue(*replies)
            terminal.setdefault("columns", 100)
            one = QuickPtyMm([*mm.options, *options], nest, cwd=mm.cwd, **terminal)
            stack.enter_context(one)
            one.see_prompt()
            return one

        yield begin
