"""Answers of a server as hypothesis draws them: any mix of words, calls, and faults."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

from hypothesis import strategies as st

from minime_core.testing import (
    Reply,
    comments,
    cut,
    delta,
    end,
    endless,
    error_event,
    event,
    finish,
    html,
    parallel,
    progress,
    raw,
    reset,
    stall,
    status,
    text,
    thinking,
    tool_call,
    trace,
)

TRACES = Path(__file__).parents[1] / "traces"
Piece = Callable[[str], Reply]
"""Makes a piece of an answer; what it calls the tool with begins with the given name."""

NOTHING = Reply()
MUST_NOT_RUN = "cut"
"""Ends the commands of calls that are not whole."""


def _json(command: str) -> str:
    return json.dumps({"name": "bash", "arguments": {"command": command}})


def _call(name: str, command: str, **how: object) -> Reply:
    return tool_call(name, {"command": command}, **how)  # type: ignore[arg-type]


BEFORE: tuple[Piece, ...] = (
    lambda n: NOTHING,
    lambda n: NOTHING,
    lambda n: comments(2),
    lambda n: progress(10, 50, total=100),
    lambda n: thinking("I wonder. "),
    lambda n: thinking(f"<tool_call>{_json(f'{n} thought')}</tool_call>"),
    lambda n: text("<think>I wonder."),
    lambda n: text("<think>I wonder.</think>", chunks=7),
    lambda n: text("I wonder.\n</think>\n"),
)
WORDS: tuple[Piece, ...] = (
    lambda n: NOTHING,
    lambda n: NOTHING,
    lambda n: text("Some words of an answer. "),
    lambda n: text("Let me run the command:"),
    lambda n: text("   \n"),
    lambda n: text(f"I look.\n<tool_call>\n{_json(f'{n} hermes')}\n</tool_call>", chunks=9),
    lambda n: text(_json(f"{n} bare")),
    lambda n: text(f'<tool_call>\n{{"name": "bash", "arguments": {{"command": "{n} {MUST_NOT_RUN}'),
    lambda n: text("[TOOL_CALLS]nope[ARGS]{}"),
)
CALLS: tuple[Piece, ...] = (
    lambda n: NOTHING,
    lambda n: NOTHING,
    lambda n: _call("bash", f"{n} a"),
    lambda n: _call("shell", f"{n} a", fragments=1),
    lambda n: _call("bash", f"{n} a", index=0) + _call("bash", f"{n} b", index=0),
    lambda n: parallel(_call("bash", f"{n} a"), _call("bash", f"{n} b")),
    lambda n: _call("bash", f"{n} a") + _call("no such tool!", f"{n} b"),
    lambda n: tool_call("bash", {"cmd": f"{n} a"}),
    lambda n: tool_call("bash", {"command": [f"{n} a"], "x": None}),
    lambda n: tool_call("bash", {"wrong": f"{n} a"}),
    lambda n: tool_call("bash", f"{{'command': '{n} a',}}"),
    lambda n: tool_call("bash", ""),
    lambda n: tool_call("bash", "[[["),
    lambda n: tool_call("", {}),
    lambda n: tool_call("bash", f'{{"command": "{n} {MUST_NOT_RUN}'),
    lambda n: tool_call("bash", {"command": f"{n} a"}, as_object=True, id=None, index=None),
    lambda n: delta({"tool_calls": None, "content": None}),
    lambda n: delta({"tool_calls": [{"index": 10**9, "function": None}], "content": 7}),
)
ENDS: tuple[Reply, ...] = (
    *(NOTHING,) * 12,
    finish("length"),
    finish(None),
    finish(usage=None, timings=None, done=False) + cut(),
    end(),
    cut(),
    reset(),
    stall(),
    error_event("Failed to parse input"),
    event({"error": "odd"}) + end(),
    raw(b"data: {not json\n\n"),
    endless(text("again and ", chunks=1)),
    endless(thinking("Hmm. ", chunks=1)),
)
WHOLE: tuple[Reply, ...] = (
    status(429, headers={"Retry-After": "0"}),
    status(500, "Failed to parse input"),
    status(502, b"<html>bad gateway"),
    status(503, "Loading model"),
    status(401),
    status(404, b""),
    status(302, b"", {"Location": "http://127.0.0.1:1/"}),
    html(),
    raw(b"\xff\xfe\0"),
    finish(),
    *(trace(path) for path in sorted(TRACES.glob("*.sse"))),
)


class Script:
    """The answers to some requests in a row."""

    def __init__(self, pieces: Sequence[Piece]) -> None:
        self._pieces = pieces

    def replies(self, number: object) -> list[Reply]:
        """Return the answers; `number`, which no other script has, is in what they call."""
        return [make(f"{number}.{place}") for place, make in enumerate(self._pieces)]

    def __repr__(self) -> str:
        return f"Script({self.replies('N')})"


def scripts(most: int = 6) -> st.SearchStrategy[Script]:
    """Draw scripts of up to `most` answers."""
    return st.lists(_replies(), min_size=1, max_size=most).map(Script)


@st.composite
def _replies(draw: st.DrawFn) -> Piece:
    if draw(st.integers(0, 4)) == 0:
        whole = draw(st.sampled_from(WHOLE))
        return lambda n: whole
    pieces = [draw(st.sampled_from(kind)) for kind in (BEFORE, WORDS, CALLS)]
    last = draw(st.sampled_from(ENDS))
    sizes = draw(st.lists(st.integers(1, 200), max_size=3))
    after = draw(st.one_of(st.none(), st.none(), st.none(), st.integers(0, 3000)))
    breaks = draw(st.sampled_from((cut(), reset())))

    def make(name: str) -> Reply:
        reply = sum((piece(name) for piece in pieces), NOTHING) + last
        if not reply.steps:
            return finish()
        if sizes:
            reply = reply.split(*sizes)
        return reply if after is None else reply.interrupted(after, breaks)

    return make
