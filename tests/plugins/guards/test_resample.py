from __future__ import annotations

from typing import Any

import pytest

from minime_core.errors import (
    ContextOverflow,
    RequestRefused,
    ServerFault,
    StatusError,
    StreamCut,
)
from minime_core.events import Retracted, TextDelta
from minime_core.testing.fault_server import FaultServer
from minime_core.testing.replies import error_event, status, text, tool_call, trace
from minime_guards.resample import NOTE, wrap

BAD_OUTPUT = "The model produced output that does not match the expected format"


@pytest.mark.parametrize("fault", [status(500, "Failed to parse input at pos 12"),
                                   error_event(BAD_OUTPUT)])  # fmt: skip
def test_the_answer_is_asked_for_once_more_with_a_note(
    chat: Any, server: FaultServer, fault: Any
) -> None:
    server.enqueue(tool_call("bash", {"command": "ls"}), fault, text("Two files."))
    assert chat.ask().text == "Two files."
    assert chat.tools.ran == [("bash", {"command": "ls"})]
    bodies = [request.json["messages"] for request in server.chat_requests]
    assert bodies[2][:-1] == bodies[1][:-1]
    assert bodies[2][-1]["content"] == f"done\n\n[note: {NOTE}]"
    assert chat.results == ["done"]


def test_a_recorded_fault_is_asked_for_once_more(
    chat: Any, server: FaultServer, traces: Any
) -> None:
    server.enqueue(trace(traces / "error_midstream_gpt_oss.sse"), text("Two files."))
    assert chat.ask().text == "Two files."


def test_text_that_was_shown_is_withdrawn(chat: Any, server: FaultServer) -> None:
    server.enqueue(text("The ans") + error_event(BAD_OUTPUT), text("Four."))
    done = chat.ask()
    assert (done.reason, done.text) == ("answered", "Four.")
    assert chat.of(Retracted) == [Retracted()]
    assert "".join(event.text for event in chat.of(TextDelta)).endswith("Four.")


def test_the_second_time_the_cause_is_told(mm: Any, server: FaultServer) -> None:
    server.enqueue(*[error_event(BAD_OUTPUT)] * 2)
    code, out, err = mm.ask()
    assert (code, out) == (3, "")
    assert BAD_OUTPUT in err.splitlines()[-1]
    assert len(server.chat_requests) == 2


@pytest.mark.parametrize(
    "name",
    [
        "error_500_bad_arguments_in_history",
        "error_500_late_system_message",
        "error_400_roles_must_alternate",
        "error_400_context_overflow",
    ],
)
def test_a_recorded_refusal_is_told_at_once(
    chat: Any, server: FaultServer, traces: Any, name: str
) -> None:
    server.enqueue(trace(traces / f"{name}.sse"))
    assert chat.ask().reason == "failed"
    assert len(server.chat_requests) == 1


@pytest.mark.parametrize(
    "error",
    [
        RequestRefused("bad template", status=500),
        ContextOverflow("too long", needed=9, window=5),
        StatusError("bad gateway", status=502),
        StreamCut("broke off"),
    ],
)
def test_other_failures_pass(model: Any, error: Any) -> None:
    script = model.Script([error])
    model.run(wrap, script)
    assert model.error is error
    assert len(script.requests) == 1


def test_what_fails_differently_the_second_time_is_told(model: Any) -> None:
    second = StatusError("bad gateway", status=502)
    model.run(wrap, model.Script([ServerFault("bad")], [second]))
    assert model.error is second
