from __future__ import annotations

from typing import Any

import pytest

from minime_core.messages import ToolCall
from minime_core.testing.fault_server import FaultServer
from minime_core.testing.replies import finish, text, tool_call, trace
from minime_guards.cut_calls import budget, judge

CUT = tool_call("write_file", '{"path": "a.txt", "content": "and so') + finish("length")


@pytest.mark.parametrize(
    ("max_tokens", "characters"), [(4096, 6000), (16384, 20_000), (300, 400), (1, 1)]
)
def test_the_budget_is_a_round_number_of_characters(max_tokens: int, characters: int) -> None:
    assert budget(max_tokens) == characters


def test_the_model_is_told_how_much_it_may_write(chat: Any, server: FaultServer) -> None:
    server.enqueue(CUT, text("Then less."))
    assert chat.ask().text == "Then less."
    assert chat.tools.ran == []
    (result,) = chat.results
    assert result.startswith("[write_file: the call was cut off before its end and did NOT run.")
    assert "4096 tokens" in result
    assert "at most 6000 characters" in result


def test_the_third_time_the_user_is_told_which_setting_to_raise(
    mm: Any, server: FaultServer
) -> None:
    server.enqueue(CUT, CUT, CUT)
    code, out, err = mm.ask()
    assert (code, out) == (1, "")
    assert "write_file" in err.splitlines()[-1]
    assert "max_tokens (4096)" in err.splitlines()[-1]
    assert len(server.chat_requests) == 3
    assert all(request.json["stream"] for request in server.chat_requests)


def test_each_turn_has_its_chances(chat: Any, server: FaultServer) -> None:
    server.enqueue(CUT, CUT, text("No."), CUT, CUT, text("No."))
    assert [chat.ask().reason, chat.ask().reason] == ["answered", "answered"]


def test_whole_calls_beside_a_cut_one_run(chat: Any, server: FaultServer) -> None:
    server.enqueue(tool_call("bash", {"command": "ls"}) + CUT, text("Done."))
    chat.ask()
    assert chat.tools.ran == [("bash", {"command": "ls"})]
    assert len(chat.results) == 2


def test_a_call_that_is_cut_before_its_arguments_does_not_run(model: Any) -> None:
    call = ToolCall(name="list", arguments={})
    cut = judge(model.request(max_tokens=100), model.done("", call, finish="length"))
    assert cut.message.calls[0].rejected is not None
    whole = model.done("", call, finish="tool_calls")
    assert judge(model.request(), whole) is whole


def test_a_server_without_a_known_limit_gets_no_number(model: Any) -> None:
    call = ToolCall(name="bash", arguments={}, raw='{"command": "l')
    done = judge(model.request(), model.done("", call))
    assert "Write only the first part, then append" in str(done.message.calls[0].rejected)


def test_a_recorded_cut_call_goes_back_to_the_model(
    chat: Any, server: FaultServer, traces: Any
) -> None:
    server.enqueue(trace(traces / "tool_call_cut_by_max_tokens_gemma4.sse"), text("Done."))
    assert chat.ask().reason == "answered"
    assert chat.tools.ran == []
    assert "[bash: the call was cut off" in chat.results[0]
