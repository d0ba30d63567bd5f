from __future__ import annotations

from typing import Any

from minime_core.testing.fault_server import FaultServer
from minime_core.testing.replies import finish, text, thinking, tool_call, trace

LENGTH = finish("length")


def test_the_user_is_told_of_an_answer_that_was_cut(mm: Any, server: FaultServer) -> None:
    server.enqueue(text("The first half") + LENGTH)
    code, out, err = mm.ask()
    assert (code, out) == (0, "The first half\n")
    assert err == (
        "mm: the answer was cut off at max_tokens (4096): raise max_tokens, or ask to go on\n"
    )


def test_a_recorded_cut_answer_is_told_of(chat: Any, server: FaultServer, traces: Any) -> None:
    chat.set(max_tokens=10)
    server.enqueue(trace(traces / "text_cut_by_max_tokens.sse"))
    chat.ask()
    assert "max_tokens (10)" in chat.notices[0]


def test_thinking_that_used_everything_up_is_told_of(chat: Any, server: FaultServer) -> None:
    server.enqueue(thinking("Hm, and") + LENGTH, text("Four."))
    assert chat.ask().text == "Four."
    assert any("max_tokens (4096) before it answered" in notice for notice in chat.notices)


def test_a_whole_answer_and_a_cut_call_are_not(chat: Any, server: FaultServer) -> None:
    server.enqueue(tool_call("bash", '{"command": "l') + LENGTH, text("Done."))
    chat.ask()
    assert chat.notices == []
