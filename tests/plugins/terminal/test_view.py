"""A turn on the screen."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from rich.text import Text

from minime_core.errors import ProviderError
from minime_core.events import (
    Event,
    FileDiff,
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
from minime_core.messages import Message, ToolCall
from minime_core.tools import Arguments, Tool, ToolContext, ToolResult
from minime_terminal.diff_view import MAX_COMPARED, diff_lines, diff_rows
from minime_terminal.painter import Painter
from minime_terminal.screen import Screen
from minime_terminal.settings import Thoughts
from minime_terminal.view import TurnView
from terminal_screen import Tube, plain

ENDED = "0.0 s · ⚙ 0 commands · 📖 0 skills"


async def _run(arguments: Arguments, context: ToolContext) -> ToolResult:
    return ToolResult(text="")


PLAN = Tool(
    name="plan",
    description="",
    schema={"type": "object", "required": ["steps"]},
    run=_run,
    effects=frozenset(),
    plan=lambda arguments: [(step, "pending") for step in arguments["steps"]],
)


class Shown:
    """A view on a screen of its own."""

    def __init__(self, painter: Painter, thoughts: Thoughts = "short", lines: int = 3) -> None:
        self.tube = Tube(columns=60, lines=12)
        painter.resize(60)
        screen = Screen(self.tube, is_live=True, size=lambda: self.tube.size, environ={})
        self.view = TurnView(
            screen, painter, {"plan": PLAN}, lines=lines, thoughts=thoughts, clock=lambda: 0.0
        )

    def show(self, *events: Event) -> list[str]:
        """Show events, draw, and return all rows that are not blank."""
        for event in events:
            self.view.show(event)
        self.view.draw()
        return self.rows()

    def rows(self) -> list[str]:
        return [row for row in self.tube.rows() if row]


@pytest.fixture
def shown(make_painter: Callable[..., Painter]) -> Shown:
    return Shown(make_painter())


def call(name: str = "bash", title: str = "bash: ls", **arguments: object) -> ToolStarted:
    return ToolStarted(call=ToolCall(name=name, arguments=arguments), title=title, kind="execute")


def done(text: str, *, ok: bool = True, diffs: tuple[FileDiff, ...] = ()) -> ToolDone:
    return ToolDone(call_id="1", name="bash", text=text, ok=ok, seconds=0.0, diffs=diffs)


ANSWERED = MessageDone(message=Message(role="assistant", text="x"))


def test_an_answer_is_shown_while_it_is_written(shown: Shown) -> None:
    assert shown.show() == ["Waiting for the server"]
    assert shown.show(TextDelta("Hel")) == ["Hel", "Writing"]
    assert shown.show(TextDelta("lo\n\nyou")) == ["Hello", "you", "Writing"]
    assert shown.show(ANSWERED) == ["Hello", "you", "Waiting for the server"]
    shown.view.show(TurnDone(reason="answered", text="x"))
    assert shown.rows() == ["Hello", "you", ENDED]


def test_a_call_is_one_line_with_the_first_lines_of_its_output(shown: Shown) -> None:
    rows = shown.show(call(), *(ToolOutput("1", f"{number}\n") for number in range(10)))
    assert rows == ["● bash: ls", *(f"  │ {number}" for number in range(5, 10)), "Running bash"]
    rows = shown.show(done("".join(f"{number}\n" for number in range(10))))
    assert rows == [
        "● bash: ls",
        *("  │ 0", "  │ 1", "  │ 2", "  │ … 7 more lines"),
        "Waiting for the server",
    ]


def test_what_failed_is_marked(shown: Shown) -> None:
    rows = shown.show(call(), done("[bash: not allowed]", ok=False))
    assert rows[:-1] == ["● bash: ls", "  ✗ [bash: not allowed]"]


def test_without_preview_a_call_is_its_line_alone(make_painter: Callable[..., Painter]) -> None:
    shown = Shown(make_painter(), lines=0)
    assert shown.show(call(), done("a\nb"))[:-1] == ["● bash: ls"]
    assert shown.show(call(), done("bad", ok=False))[-2] == "  ✗ bad"


def test_a_change_of_a_file_is_shown_as_a_diff(shown: Shown) -> None:
    diff = FileDiff(path="a.py", old="one\ntwo\nthree\n", new="one\n2\nthree\n")
    rows = shown.show(call(title="edit a.py"), done("changed", diffs=(diff,)))
    assert rows[:-1] == [
        "● edit a.py",
        *("  a.py (+1 -1)", "  @@ -1,3 +1,3 @@", "   one", "  -two", "  +2", "   three"),
    ]


def test_a_diff_that_a_question_has_shown_is_not_shown_again(shown: Shown) -> None:
    diff = FileDiff(path="a.py", old=None, new="one\n")
    shown.show(call(title="write a.py"))
    shown.view.pause()
    assert shown.rows() == ["● write a.py"]
    rows = shown.show(done("written", diffs=(diff,)))
    assert rows[:-1] == ["● write a.py", "  a.py (new, 1 line)"]


def test_a_plan_is_shown_as_steps(shown: Shown) -> None:
    rows = shown.show(call("plan", "plan", steps=["look", "do"]), ToolOutput("1", "x"), done("ok"))
    assert rows[:-1] == ["● plan", "  [ ] look", "  [ ] do"]
    assert shown.view.plan == [("look", "pending"), ("do", "pending")]


def test_a_plan_without_steps_is_shown_as_any_call(shown: Shown) -> None:
    rows = shown.show(call("plan", "plan"), done("[plan: wrong]", ok=False))
    assert rows[:-1] == ["● plan", "  ✗ [plan: wrong]"]


def test_output_without_end_costs_a_few_rows(shown: Shown) -> None:
    shown.show(call())
    for _ in range(100):
        shown.view.show(ToolOutput("1", "y\n" * 100_000))
    assert len(shown.show(ToolOutput("1", "x" * 1_000_000))) < 10
    assert len(shown.show(done("y\n" * 1_000_000))) == 6
    assert len(shown.tube.written) < 10
    assert all(len(text) < 2_000 for text in shown.tube.written)


@pytest.mark.parametrize(
    ("mode", "live", "kept"),
    [
        ("short", ["first", "second"], ["✻ thought for 0.0 s, 2 words (/thoughts)"]),
        ("full", ["first", "second"], ["first", "second"]),
        ("hidden", [], []),
    ],
)
def test_thoughts_are_shown_as_the_user_likes(
    make_painter: Callable[..., Painter], mode: Thoughts, live: list[str], kept: list[str]
) -> None:
    shown = Shown(make_painter(), mode)
    assert shown.show(ThinkingDelta("first\nsec"), ThinkingDelta("ond")) == [*live, "Thinking"]
    assert shown.show(TextDelta("Yes.")) == [*kept, "Yes.", "Writing"]
    assert shown.view.thoughts == "first\nsecond"


def test_of_long_thoughts_the_end_is_shown(shown: Shown) -> None:
    for number in range(300):
        rows = shown.show(ThinkingDelta(f"word{number} "))
    assert len(rows) == 4
    assert rows[-2].endswith("word299")


def test_what_is_retracted_is_said_to_be(shown: Shown) -> None:
    shown.show(ThinkingDelta("hm"))
    assert shown.show(Retracted(thinking_only=True)) == ["Waiting for the server"]
    shown.show(TextDelta("wrong\n\nmore"))
    rows = shown.show(Retracted(), TextDelta("right"), ANSWERED)
    assert rows[:-1] == ["wrong", "(withdrawn: the model begins its answer anew)", "right"]


def test_a_turn_that_is_stopped_leaves_what_was_done(shown: Shown) -> None:
    shown.show(TextDelta("half of"))
    shown.view.stop("(stopped)")
    assert shown.rows() == ["half of", "(stopped)"]


def test_a_running_call_that_is_stopped_leaves_its_output(shown: Shown) -> None:
    shown.show(call(), ToolOutput("1", "so far\n"))
    shown.view.stop("(stopped)")
    assert shown.rows() == ["● bash: ls", "  │ so far", "(stopped)"]


@pytest.mark.parametrize(
    ("event", "row"),
    [
        (TurnDone(reason="failed", error=ProviderError("the server is gone")), "mm: the server"),
        (TurnDone(reason="empty"), "mm: the model gave no answer"),
        (TurnDone(reason="limit", text="x"), "mm: stopped at max_turns"),
    ],
)
def test_a_turn_without_an_answer_says_why(shown: Shown, event: Event, row: str) -> None:
    shown.view.show(event)
    assert shown.rows()[0].startswith(row)
    assert shown.rows()[-1] == ENDED


EVIL = "\x1b[2J\x1b]0;x\x07\x9b31m\u202e"


def test_nothing_of_anybody_steers_the_terminal(shown: Shown) -> None:
    diff = FileDiff(path=EVIL, old="a\n", new=f"{EVIL}\n")
    shown.show(ThinkingDelta(EVIL), TextDelta(EVIL), ANSWERED, call(EVIL, EVIL, path=EVIL))
    shown.show(ToolOutput("1", EVIL))
    shown.show(done(EVIL), call(), done("ok", diffs=(diff,)), call(), done(EVIL, ok=False))
    shown.show(Notice("warning", EVIL), ThinkingDelta(EVIL))
    shown.view.show(TurnDone(reason="failed", error=ProviderError(EVIL)))
    written = "".join(shown.tube.written)
    for sequence in ("\x1b[2J", "\x1b]", "\x07", "\x9b", "\u202e"):
        assert sequence not in written


@pytest.mark.parametrize("columns", [30, 80, 200])
@pytest.mark.parametrize("term", ["xterm-256color", "dumb"])
def test_rows_are_as_wide_as_the_screen_allows(
    columns: int, term: str, make_painter: Callable[..., Painter]
) -> None:
    painter = make_painter(columns, term=term)
    text = "word " * 100
    assert max(map(len, painter.rows(Text(text)))) > columns - 7
    facts = painter.strung(*["a fact"] * 60)
    assert max(map(len, facts)) > columns - 10
    assert all(row.startswith("a fact") and row.endswith("a fact") for row in facts)
    assert max(map(len, [*painter.rows(Text(text)), *facts])) < columns


# Diffs


def test_a_small_change_of_a_large_file_is_found_without_comparing_it_all() -> None:
    old = [f"line {number}" for number in range(100_000)]
    new = [*old[:50_000], "changed", *old[50_001:]]
    head, lines = diff_lines(FileDiff(path="big", old="\n".join(old), new="\n".join(new)))
    assert head == "big (+1 -1)"
    assert lines[0] == "@@ -49999,5 +49999,5 @@"
    assert lines[3:5] == ["-line 50000", "+changed"]


def test_a_change_of_everything_is_told_by_its_size() -> None:
    old, new = ("\n".join(f"{side}{n}" for n in range(MAX_COMPARED + 1)) for side in "ab")
    _, lines = diff_lines(FileDiff(path="big", old=old, new=new))
    assert lines == ["@@ lines 1 to 2001 were replaced by 2001 others @@"]


@pytest.mark.parametrize(
    ("old", "new", "head"),
    [
        (None, "a\nb\n", "f (new, 2 lines)"),
        ("a\n", None, "f (deleted, 1 line)"),
        ("a\n", "a\n", "f (+0 -0)"),
        ("", "-- x\n", "f (+1 -0)"),
        ("-- x\n", "", "f (+0 -1)"),
    ],
)
def test_what_happened_to_a_file_is_told(
    old: str | None, new: str | None, head: str, painter: Painter
) -> None:
    diff = FileDiff(path="f", old=old, new=new)
    assert diff_lines(diff)[0] == head
    assert plain(diff_rows(diff, painter))[0] == head
