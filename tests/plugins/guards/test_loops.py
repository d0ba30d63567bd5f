from __future__ import annotations

from typing import Any

import pytest

from minime_core.testing.fault_server import FaultServer
from minime_core.testing.replies import status, text, tool_call

WARNED = "You have made the same"


def bash(command: str = "ls") -> Any:
    return tool_call("bash", {"command": command})


def edit(old: str, path: str = "a.txt") -> Any:
    return tool_call("edit_file", {"path": path, "edits": [{"old": old, "new": "y"}]})


def warned(chat: Any) -> list[int]:
    """Return the numbers, from 1, of the results that warn."""
    return [n for n, result in enumerate(chat.results, 1) if WARNED.lower() in result]


@pytest.fixture
def chat(chat: Any) -> Any:
    chat.set(max_turns=40)
    return chat


def test_the_third_time_the_model_is_warned_and_the_sixth_the_turn_ends(
    chat: Any, server: FaultServer
) -> None:
    server.enqueue(*[bash()] * 6)
    done = chat.ask()
    assert done.reason == "stuck"
    assert len(server.chat_requests) == 6
    assert warned(chat) == [3, 4, 5]
    assert chat.results[2].startswith("done\n[bash: you have made the same call with the same")
    assert chat.results[5] == "[bash: stuck: the same call with the same result again and again]"
    assert chat.session.history.records[-1].text.startswith("stuck: ")


def test_another_result_is_progress(chat: Any, server: FaultServer) -> None:
    chat.tools.outputs = ["1 left", "1 left", "0 left", "0 left"]
    server.enqueue(*[bash()] * 4, text("Done."))
    assert chat.ask().reason == "answered"
    assert warned(chat) == []


def test_another_call_in_between_is_progress(chat: Any, server: FaultServer) -> None:
    server.enqueue(bash(), bash(), bash("pwd"), bash(), bash(), text("Done."))
    chat.ask()
    assert warned(chat) == []


def test_progress_after_a_warning_gives_all_chances_again(chat: Any, server: FaultServer) -> None:
    server.enqueue(*[bash()] * 5, bash("pwd"), *[bash()] * 5, text("Done."))
    assert chat.ask().reason == "answered"
    assert warned(chat) == [3, 4, 5, 9, 10, 11]


@pytest.mark.parametrize(
    ("cycle", "first"), [(["a", "b"], 6), (["a", "b", "c"], 9), (["a", "a", "b"], 9)]
)
def test_cycles_of_two_and_three_count(
    chat: Any, server: FaultServer, cycle: list[str], first: int
) -> None:
    server.enqueue(*[bash(command) for command in (cycle * 5)[: first + 3]])
    assert chat.ask().reason == "stuck"
    assert warned(chat) == [first, first + 1, first + 2]
    assert f"the same {len(cycle)} calls" in chat.results[first - 1]


def test_a_cycle_of_four_does_not_count(chat: Any, server: FaultServer) -> None:
    server.enqueue(*[bash(command) for command in "abcd" * 4], text("Done."))
    assert chat.ask().reason == "answered"


def test_white_space_makes_no_other_command(chat: Any, server: FaultServer) -> None:
    server.enqueue(bash("ls -l"), bash("ls  -l "), bash("\tls -l\n"), text("Done."))
    chat.ask()
    assert warned(chat) == [3]


def test_how_long_a_command_took_makes_no_other_result(chat: Any, server: FaultServer) -> None:
    chat.tools.outputs = [f"x\n[bash: exit code 1 after {n} s]" for n in (1, 2, 13)]
    server.enqueue(*[bash()] * 3, text("Done."))
    chat.ask()
    assert warned(chat) == [3]


def test_the_same_edit_refused_counts_whatever_it_looks_for(chat: Any, server: FaultServer) -> None:
    server.enqueue(edit("one"), edit("two"), edit("thr ee"), text("Done."))
    chat.ask()
    assert warned(chat) == [3]


def test_an_edit_of_another_file_is_progress(chat: Any, server: FaultServer) -> None:
    server.enqueue(edit("one"), edit("one", "b.txt"), edit("one"), text("Done."))
    chat.ask()
    assert warned(chat) == []


@pytest.mark.parametrize(
    "call", [tool_call("python", {}), tool_call("bash", "{'a"), tool_call("bash", {"cmdx": 1})]
)
def test_calls_that_cannot_run_count(chat: Any, server: FaultServer, call: Any) -> None:
    chat.set({"disabled": ["cut_calls"]}, max_turns=40)
    server.enqueue(*[call] * 6)
    assert chat.ask().reason == "stuck"
    assert warned(chat) == [3, 4, 5]


def test_the_same_call_in_every_turn_warns_and_never_ends_one(
    chat: Any, server: FaultServer
) -> None:
    for _ in range(8):
        server.enqueue(bash(), text("Done."))
        assert chat.ask("again").reason == "answered"
    assert warned(chat) == [3, 4, 5, 6, 7, 8]


def test_what_becomes_of_the_conversation_does_not_matter(chat: Any, server: FaultServer) -> None:
    server.enqueue(bash(), bash(), text("Done."), bash(), text("Done."))
    chat.ask()
    # As a compaction does, and `/undo`.
    chat.session.history.withdraw(1, "compacted")
    chat.ask()
    assert len(warned(chat)) == 1


def test_a_model_that_is_told_to_go_on_and_does_the_same_is_stopped_sooner(
    chat: Any, server: FaultServer
) -> None:
    server.enqueue(*[bash()] * 6, *[bash()] * 4)
    assert chat.ask().reason == "stuck"
    assert chat.ask("go on").reason == "stuck"
    assert server.pending == 0


def test_the_numbers_can_be_set(chat: Any, server: FaultServer) -> None:
    chat.set({"loop_warning": 2, "loop_stop": 1})
    server.enqueue(*[bash()] * 3)
    assert chat.ask().reason == "stuck"
    assert warned(chat) == [2]


def test_after_a_warning_one_request_is_warmer(chat: Any, server: FaultServer) -> None:
    chat.set({"loop_temperature": 0.4}, sampling={"temperature": 0.0}, max_turns=40)
    server.enqueue(*[bash()] * 3, bash("pwd"), text("Done."))
    chat.ask()
    sent = [request.json["temperature"] for request in server.chat_requests]
    assert sent == [0, 0, 0, 0.4, 0]


def test_a_retry_of_that_request_is_as_warm(chat: Any, server: FaultServer) -> None:
    chat.set({"loop_temperature": 0.4}, sampling={"temperature": 0.0}, max_turns=40)
    server.enqueue(*[bash()] * 3, status(502), text("Done."))
    chat.ask()
    assert [r.json["temperature"] for r in server.chat_requests] == [0, 0, 0, 0.4, 0.4]


def test_a_loop_through_the_command_line(mm: Any, server: FaultServer) -> None:
    server.enqueue(*[bash("echo no")] * 6)
    code, out, err = mm.ask()
    assert (code, out) == (1, "")
    assert "stuck: the same call with the same result" in err
    assert len(server.chat_requests) == 6
