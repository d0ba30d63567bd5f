"""Rows that stay and rows that change, on a screen as a terminal has it."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minime_terminal.screen import Screen
from terminal_screen import Tube

WORDS = st.text("abc", max_size=12)
FRAMES = st.lists(st.tuples(st.lists(WORDS, max_size=4), st.lists(WORDS, max_size=8)), max_size=12)


def screen_on(
    tube: Tube, *, is_live: bool = True, environ: Mapping[str, str] | None = None
) -> Screen:
    return Screen(tube, is_live=is_live, size=lambda: tube.size, environ=environ or {})


def without_blanks(rows: list[str]) -> list[str]:
    while rows and not rows[-1]:
        rows = rows[:-1]
    return rows


@given(FRAMES)
def test_what_stays_stays_and_what_is_live_is_replaced(
    frames: list[tuple[list[str], list[str]]],
) -> None:
    tube = Tube(lines=16)
    screen = screen_on(tube)
    kept: list[str] = []
    for finished, live in frames:
        screen.draw(finished, live)
        kept += finished
        assert without_blanks(tube.rows()) == without_blanks([*kept, *live])
    screen.draw()
    assert without_blanks(tube.rows()) == without_blanks(kept)


def test_an_unchanged_frame_costs_nothing() -> None:
    tube = Tube()
    screen = screen_on(tube)
    screen.draw(["kept"], ["one", "two"])
    count = len(tube.written)
    screen.draw((), ["one", "two"])
    assert len(tube.written) == count
    screen.draw((), ["one", "three"])
    assert "one" not in tube.written[-1]


def test_of_too_many_live_rows_the_last_are_shown() -> None:
    tube = Tube(lines=8)
    screen = screen_on(tube)
    screen.draw(["kept"], [str(number) for number in range(20)])
    assert without_blanks(tube.rows()) == ["kept", "16", "17", "18", "19"]
    screen.draw(["done"])
    assert without_blanks(tube.rows()) == ["kept", "done"]


def test_a_live_row_that_is_too_wide_does_not_wrap_until_it_stays() -> None:
    tube = Tube(columns=10)
    screen = screen_on(tube)
    wide = "0123456789abcdef"
    screen.draw((), [wide, "status"])
    assert len(without_blanks(tube.rows())) == 2
    screen.draw([wide], ["status"])
    assert without_blanks(tube.rows()) == ["0123456789", "abcdef", "status"]


@pytest.mark.parametrize("wide", ["日本語" * 10, "👩‍👩‍👧" * 12, "é̀" * 30])
def test_characters_of_unknown_width_cannot_move_what_is_below(wide: str) -> None:
    tube = Tube(columns=20)
    screen = screen_on(tube)
    screen.draw(["above"], [wide, "status"])
    screen.draw(["done"])
    assert without_blanks(tube.rows()) == ["above", "done"]


@pytest.mark.parametrize("columns", [20, 60])
def test_after_a_resize_what_stays_is_untouched(columns: int) -> None:
    tube = Tube(columns=40)
    screen = screen_on(tube)
    screen.draw(["kept"], ["x" * 39, "status"])
    tube.resize(columns, 10)
    screen.draw((), ["y" * 19, "status"])
    screen.draw(["done"])
    assert without_blanks(tube.rows()) == ["kept", "done"]


class Reflowing(Tube):
    """A terminal that wraps long rows anew when it gets narrower, as tmux does."""

    def resize(self, columns: int, lines: int) -> None:
        rows = without_blanks(self.rows())
        fresh = Tube(columns, lines)
        fresh.write("\n".join(rows))
        self.__dict__.update(fresh.__dict__)


def test_rows_that_the_terminal_wrapped_anew_are_replaced_too() -> None:
    tube = Reflowing(columns=40)
    screen = screen_on(tube, environ={"TMUX": "/tmp/tmux"})
    screen.draw(["kept"], ["x" * 39, "日本" * 8, "status"])
    tube.resize(20, 10)
    screen.draw((), ["y" * 19, "status"])
    assert without_blanks(tube.rows()) == ["kept", "y" * 19, "status"]


def test_rows_that_filled_the_screen_are_not_doubled_when_it_becomes_half_as_wide() -> None:
    tube = Reflowing(columns=40)
    screen = screen_on(tube, environ={"TMUX": "/tmp/tmux"})
    screen.draw(["kept"], ["x" * 39] * 20)
    tube.resize(20, 10)
    screen.draw(["done"], ["status"])
    assert without_blanks(tube.rows()) == ["kept", "done", "status"]


def test_where_nothing_can_change_only_what_stays_is_written() -> None:
    tube = Tube()
    screen = screen_on(tube, is_live=False)
    screen.draw(["one"], ["live"])
    screen.draw(["two"], ["live"])
    assert tube.written == ["one\n", "two\n"]
