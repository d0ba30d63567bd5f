from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minime_core.errors import ConnectionFailed, StatusError, StreamCut
from minime_core.events import (
    MessageDone,
    ModelEvent,
    Notice,
    Retracted,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
)
from minime_core.models import ModelInfo
from minime_core.testing.fault_server import FaultServer
from minime_core.testing.replies import crash, cut, reset, status, text, thinking, tool_call
from minime_guards.resume import CALL_AGAIN, GO_ON, Resume
from minime_guards.seam import Seam, join
from minime_guards.settings import GuardSettings

CUT = StreamCut("broke off")


class Link:
    """A provider of which only is known whether it is up."""

    name = "link"

    def __init__(self, *states: bool | ConnectionFailed) -> None:
        self.states = list(states)
        self.waits: list[float] = []

    async def is_up(self) -> bool:
        return not self.states or (self.states[0] is True and self.states.pop(0) is True)

    async def info(self) -> ModelInfo:
        state = self.states.pop(0)
        if isinstance(state, ConnectionFailed):
            raise state
        return ModelInfo(model="m")

    async def count_tokens(self, text: str) -> int | None:
        return None

    def stream(self, request: Any) -> Any:
        raise NotImplementedError

    async def aclose(self) -> None:
        pass

    async def sleep(self, seconds: float) -> None:
        self.waits.append(round(seconds, 3))


def resume(link: Link, resumes: int = 5) -> Any:
    return Resume(link, GuardSettings(resumes=resumes), link.sleep).wrap


def on_screen(events: list[ModelEvent]) -> str:
    said = ""
    for event in events:
        if isinstance(event, TextDelta):
            said += event.text
        elif isinstance(event, Retracted) and not event.thinking_only:
            said = ""
    return said


def refused() -> ConnectionFailed:
    error = ConnectionFailed("nothing listens there; start it: llama-server")
    error.refused = True
    return error


def test_text_that_was_shown_goes_on_as_one(model: Any) -> None:
    script = model.Script(
        [TextDelta("The sum of "), TextDelta("two and"), CUT],
        [TextDelta(" two is"), TextDelta(" four."), model.done(" two is four.")],
    )
    link = Link()
    events = model.run(resume(link), script)
    assert on_screen(events) == "The sum of two and two is four."
    assert isinstance(events[-1], MessageDone)
    assert events[-1].message.text == "The sum of two and two is four."
    assert [m.text for m in script.requests[1].messages[-2:]] == ["The sum of two and", GO_ON]
    assert link.waits == [0.8]


def test_what_the_model_says_again_is_left_out(model: Any) -> None:
    script = model.Script(
        [TextDelta("The sum of two and"), CUT],
        [TextDelta("two"), TextDelta(" and two"), TextDelta(" is four."), model.done()],
    )
    assert on_screen(model.run(resume(Link()), script)) == "The sum of two and two is four."


def test_several_cuts_are_one_text(model: Any) -> None:
    script = model.Script(
        [TextDelta("one "), CUT],
        [TextDelta("two "), CUT],
        [TextDelta("three "), StatusError("busy", status=503)],
        [TextDelta("four"), model.done("four")],
    )
    link = Link()
    events = model.run(resume(link), script)
    assert on_screen(events) == "one two three four"
    assert isinstance(events[-1], MessageDone)
    assert events[-1].message.text == "one two three four"
    assert link.waits == [0.8, 1.6, 3.2]


def test_where_nothing_was_said_the_same_is_asked_again(model: Any) -> None:
    script = model.Script([ThinkingDelta("Hm"), CUT], [TextDelta("Four."), model.done("Four.")])
    events = model.run(resume(Link()), script)
    assert Retracted(thinking_only=True) in events
    assert script.requests[0] == script.requests[1]
    assert on_screen(events) == "Four."


def test_thinking_before_text_is_withdrawn_and_the_text_stays(model: Any) -> None:
    script = model.Script(
        [ThinkingDelta("Hm"), TextDelta("Four"), CUT], [TextDelta("."), model.done(".")]
    )
    events = model.run(resume(Link()), script)
    assert [e for e in events if isinstance(e, Retracted)] == [Retracted(thinking_only=True)]
    assert on_screen(events) == "Four."


def test_a_half_written_call_is_asked_for_again(model: Any) -> None:
    half = ToolCallDelta(0, "bash", '{"comm')
    script = model.Script([TextDelta("I look."), half, CUT], [half, CUT], [model.done()])
    model.run(resume(Link()), script)
    assert [m.text for m in script.requests[1].messages[-2:]] == ["I look.", CALL_AGAIN]
    assert script.requests[2].messages == script.requests[1].messages


def test_a_half_written_call_without_text_is_withdrawn(model: Any) -> None:
    script = model.Script([ToolCallDelta(0, "bash", '{"comm'), CUT], [model.done("Hi")])
    events = model.run(resume(Link()), script)
    assert Retracted() in events
    assert script.requests[0] == script.requests[1]


def test_after_the_last_attempt_the_cause_is_told(model: Any) -> None:
    script = model.Script(*[[TextDelta("a "), CUT]] * 4)
    model.run(resume(Link(), resumes=3), script)
    assert model.error is CUT
    assert len(script.requests) == 4


def test_a_server_out_of_reach_is_waited_for(model: Any) -> None:
    link = Link(False, False, True)
    script = model.Script([TextDelta("Fo"), CUT], [TextDelta("ur."), model.done("ur.")])
    assert on_screen(model.run(resume(link), script)) == "Four."
    assert link.waits == [0.8, 1.6, 3.2]


def test_a_server_that_stays_out_of_reach_ends_the_wait(model: Any) -> None:
    link = Link(*[False] * 9)
    script = model.Script([TextDelta("Fo"), CUT])
    model.run(resume(link), script)
    assert model.error is CUT
    assert link.waits == [0.8, 1.6, 3.2, 6.4, 10]


def test_a_server_that_refuses_connections_has_crashed(model: Any) -> None:
    link = Link(refused())
    model.run(resume(link), model.Script([TextDelta("Fo"), CUT]))
    assert isinstance(model.error, StreamCut)
    assert "it has crashed" in str(model.error)
    assert "start it: llama-server" in str(model.error)
    assert link.waits == []


def test_failures_before_an_answer_are_left_to_others(model: Any) -> None:
    failed = ConnectionFailed("does not answer")
    model.run(resume(Link()), model.Script([failed]))
    assert model.error is failed


def test_what_is_withdrawn_further_in_leaves_the_beginning(model: Any) -> None:
    script = model.Script(
        [TextDelta("The sum is "), CUT],
        [TextDelta("five"), Retracted(), TextDelta("four."), model.done("four.")],
    )
    assert on_screen(model.run(resume(Link()), script)) == "The sum is four."


OLD = "The recipe has three steps. First, you boil the water in a large"


def test_an_answer_that_begins_all_over_replaces_the_old_one(model: Any) -> None:
    new = "The recipe has three steps. First, you boil the water in a pot. Then wait."
    script = model.Script(
        [TextDelta(OLD), CUT],
        [*(TextDelta(new[at : at + 6]) for at in range(0, len(new), 6)), model.done(new)],
    )
    events = model.run(resume(Link()), script)
    assert on_screen(events) == new
    assert isinstance(events[-1], MessageDone)
    assert events[-1].message.text == new


# The seam


@pytest.mark.parametrize(
    ("old", "new", "whole"),
    [
        ("He", "llo.", "Hello."),
        ("two and", " two", "two and two"),
        ("Hello wor", "world!", "Hello world!"),
        ("in a large", "in a large pot.", "in a large pot."),
        ("in a large", "\n\nlarge pot.", "in a large pot."),
        ("1. a\n2. b\n", "2. b\n3. c", "1. a\n2. b\n3. c"),
        ("al", "l right", "all right"),
        ("- a\n- ", "- b", "- a\n- - b"),
        ("Yes.", "", "Yes."),
        ("", "Yes.", "Yes."),
        ("haha", "ha!", "hahaha!"),
        (OLD, OLD, OLD),
        (OLD, f"{OLD} pot.", f"{OLD} pot."),
    ],
)
def test_a_continuation_is_joined_where_it_goes_on(old: str, new: str, whole: str) -> None:
    assert join(old, new) == whole


@given(st.text("ab \n", max_size=60), st.text("ab \n", max_size=60), st.integers(1, 7))
def test_where_a_continuation_is_cut_makes_no_difference(old: str, new: str, size: int) -> None:
    seam = Seam(old)
    shown = "".join(seam.feed(new[at : at + size]) for at in range(0, len(new), size)) + seam.end()
    assert (shown if seam.has_restarted else old + shown) == join(old, new)


@given(st.text(max_size=500), st.text(max_size=500))
def test_nothing_new_is_lost(old: str, new: str) -> None:
    assert join(old, new).strip().endswith(new.strip()[-1:])


# Against the fault server


@pytest.mark.parametrize("ending", [cut(), reset()])
def test_an_answer_cut_by_the_network_is_one_answer(
    mm: Any, server: FaultServer, ending: Any
) -> None:
    server.enqueue(text("The sum of two") + ending, text(" and two is four."))
    code, out, err = mm.ask()
    assert (code, out) == (0, "The sum of two and two is four.\n")
    assert err == "mm: the connection broke in mid-answer: trying to go on\n"
    assert len(server.chat_requests) == 2


def test_the_history_has_one_answer(chat: Any, server: FaultServer) -> None:
    server.enqueue(text("The sum of two") + cut(), text(" and two is four."), text("Yes."))
    chat.ask()
    chat.ask("sure?")
    assert [m["content"] for m in server.chat_requests[2].json["messages"]] == [
        "hi",
        "The sum of two and two is four.",
        "sure?",
    ]


def test_a_whole_text_whose_end_was_cut_is_an_answer(chat: Any, server: FaultServer) -> None:
    server.enqueue(text("Four.") + cut(), text(""))
    done = chat.ask()
    assert (done.reason, done.text) == ("answered", "Four.")
    assert len(server.chat_requests) == 2


def test_tools_do_not_run_again_when_an_answer_is_cut(chat: Any, server: FaultServer) -> None:
    server.enqueue(
        tool_call("bash", {"command": "ls"}),
        thinking("Hm") + cut(),
        text("Two ") + cut(),
        text("files."),
    )
    assert chat.ask().text == "Two files."
    assert len(chat.tools.ran) == 1


def test_a_call_cut_by_the_network_runs_once(chat: Any, server: FaultServer) -> None:
    call = tool_call("bash", {"command": "ls"})
    server.enqueue(call.interrupted(after_bytes=700), call, text("Two files."))
    assert chat.ask().text == "Two files."
    assert chat.tools.ran == [("bash", {"command": "ls"})]


def test_a_crash_is_told_at_once_with_the_cure(mm: Any, server: FaultServer) -> None:
    server.enqueue(text("The sum") + crash())
    code, out, err = mm.ask(retry_wait=60)
    assert (code, out) == (3, "")
    assert "it has crashed" in err
    assert "start it: llama-server" in err
    assert err.count("\n") == 1


def test_a_busy_server_after_a_cut_is_asked_again(chat: Any, server: FaultServer) -> None:
    server.enqueue(text("The sum ") + cut(), status(502, "bad gateway"), text("is four."))
    assert chat.ask().text == "The sum is four."
    assert sum(isinstance(event, Notice) for event in chat.events) == 2
