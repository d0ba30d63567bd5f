"""A painter that knows its terminal."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from minime_terminal.painter import Painter
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
