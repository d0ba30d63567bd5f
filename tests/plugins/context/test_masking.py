"""Stubs in the place of old outputs: what they say, which are masked, and when."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from minime_context.conversation import read
from minime_context.masking import oldest_first
from minime_context.stubs import stub
from minime_core.history import History
from minime_core.messages import Message, ToolCall
from minime_core.records import MessageRecord
from minime_core.tools import Tool, ToolResult


async def _nothing(arguments: Any, context: Any) -> ToolResult:
    return ToolResult(text="")


def make_tool(name: str, effects: set[str], kind: Any = "other") -> Tool:
    properties = {"command": {"type": "string"}, "path": {"type": "string"}}
    return Tool(
        name=name,
        description="",
        schema={"type": "object", "properties": properties},
        run=_nothing,
        effects=frozenset(effects),  # type: ignore[arg-type]
        kind=kind,
        subject=lambda arguments: arguments.get("command", "") or arguments.get("path", ""),
    )


TOOLS = {
    tool.name: tool
    for tool in (
        make_tool("bash", {"read", "write", "execute"}, "execute"),
        make_tool("read_file", {"read"}, "read"),
        make_tool("edit_file", {"read", "write"}, "edit"),
    )
}


def stub_of(name: str, output: str, **arguments: Any) -> str:
    call = ToolCall(id="000000001", name=name, arguments=arguments)
    message = Message(role="tool", text=output, call_id=call.id)
    short = stub(call, message, TOOLS)
    assert (short.role, short.call_id) == ("tool", call.id)
    return short.text


def test_a_stub_says_what_ran_and_how_it_ended() -> None:
    output = "FAIL\n" * 211 + "[bash: exit code 1 after 3 s]"
    assert stub_of("bash", output, command="go test ./...") == (
        '[output of "go test ./..." elided: 212 lines, exit 1; rerun it if needed]'
    )


def test_a_file_is_named_with_the_tool_that_read_it() -> None:
    assert stub_of("read_file", "one line", path="a.py") == (
        '[output of read_file "a.py" elided: 1 line; rerun it if needed]'
    )


def test_what_writes_is_not_proposed_again() -> None:
    assert stub_of("edit_file", "a\nb", path="a.py") == (
        '[output of edit_file "a.py" elided: 2 lines]'
    )


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("gone", {"command": "x"}, "[output of gone elided: 1 line; rerun it if needed]"),
        ("bash", {"command": 5}, "[output of bash elided: 1 line; rerun it if needed]"),
        ("bash", {}, "[output of bash elided: 1 line; rerun it if needed]"),
        ("bash", {"command": "a\n b"}, '[output of "a b" elided: 1 line; rerun it if needed]'),
    ],
)
def test_a_call_of_any_kind_can_be_named(name: str, arguments: Any, expected: str) -> None:
    assert stub_of(name, "x", **arguments) == expected


def test_a_long_command_is_shortened() -> None:
    text = stub_of("bash", "x", command="echo " + "y" * 5000)
    assert len(text) < 150


def history(outputs: list[str]) -> History:
    built = History()
    built.add_question("Go.")
    for number, output in enumerate(outputs):
        call = ToolCall(id=f"{number:09d}", name="bash", arguments={"command": f"run {number}"})
        built.add_answer(Message(role="assistant", text="", calls=(call,)))
        built.add_result(call, output)
    built.add_answer(Message(role="assistant", text="Done."))
    return built


def test_the_oldest_outputs_are_masked_until_enough_is_saved() -> None:
    entries = read(history(["a\n" * 500, "b\n" * 500, "c\n" * 500])).entries
    one = oldest_first(entries, TOOLS, 500)
    assert [edit.first for edit in one.edits] == [2]
    assert 900 < one.gain < 1000
    assert len(oldest_first(entries, TOOLS, 1500).edits) == 2
    everything = oldest_first(entries, TOOLS, 10**9)
    assert [edit.first for edit in everything.edits] == [2, 4, 6]


def test_short_outputs_and_stubs_are_left_alone() -> None:
    outputs = ["ok", "x" * 250, "a\n" * 500]
    built = history(outputs)
    masking = oldest_first(read(built).entries, TOOLS, 10**9)
    assert [edit.first for edit in masking.edits] == [6]


def test_outputs_of_calls_that_were_rejected_can_be_masked() -> None:
    built = History()
    built.add_question("Go.")
    call = ToolCall(id="000000001", name="bash", arguments={"command": None})
    built.append(MessageRecord(message=Message(role="assistant", calls=(call,))))
    built.add_result(call, "[bash: wrong]" * 100)
    assert len(oldest_first(read(built).entries, TOOLS, 1).edits) == 1


def test_nothing_is_masked_while_there_is_room(
    open_chat: Any, make_model: Any, make_call: Any
) -> None:
    chat = open_chat(make_model(make_call("bash", command="ls", lines=40), "Done.", window=32_768))
    chat.ask()
    assert chat.rewrites == []
    assert chat.notices == []


def test_old_outputs_are_masked_and_calls_and_answers_stay(
    open_chat: Any, make_model: Any, make_call: Any
) -> None:
    answers = [
        answer
        for n in range(12)
        for answer in (make_call("bash", command=f"run {n}", lines=60), f"Answer {n}.")
    ]
    model = make_model(*answers, window=3000)
    chat = open_chat(model, max_output=16_000)
    for n in range(10):
        chat.ask(f"Question {n}?")
    texts = [message.text for message in chat.view]
    assert "masked outputs" in chat.rewrites
    assert "summary" not in chat.rewrites
    assert [t for t in texts if t.startswith("Answer")] == [f"Answer {n}." for n in range(10)]
    assert [t for t in texts if t.startswith("Question")] == [f"Question {n}?" for n in range(10)]
    calls = [call.arguments["command"] for message in chat.view for call in message.calls]
    assert calls == [f"run {n}" for n in range(10)]
    assert '[output of "run 0" elided: 61 lines, exit 1; rerun it if needed]' in texts
    # The last three questions are as they were.
    whole = [t for t in texts if "line 7" in t]
    assert len(whole) >= 3


def test_masking_comes_in_batches(open_chat: Any, make_model: Any, make_call: Any) -> None:
    model = make_model("Done.", window=8000)
    chat = open_chat(model, max_output=16_000)
    for n in range(40):
        model.answers = [make_call("bash", command=f"run {n}", lines=60), f"Answer {n}."]
        chat.ask(f"Question {n}?")
    assert 2 <= len(chat.rewrites) <= 9


def test_every_rewrite_is_announced(open_chat: Any, make_model: Any, make_call: Any) -> None:
    model = make_model("Done.", window=3000)
    chat = open_chat(model, max_output=16_000)
    announced = 0
    for n in range(20):
        model.answers = [make_call("bash", command=f"run {n}", lines=60), f"Answer {n}."]
        chat.ask(f"Question {n}?")
        announced += sum("tokens became" in notice for notice in chat.notices)
    assert announced == len(chat.rewrites) > 0


def test_an_output_that_the_model_has_not_seen_is_never_masked(
    open_chat: Any, make_model: Any, make_call: Any
) -> None:
    model = make_model(*[make_call("bash", command="big", lines=120)] * 6, "Done.", window=3000)
    chat = open_chat(model, max_output=16_000)
    assert chat.ask().text == "Done."
    for request in model.requests[1:]:
        if request.tool_choice == "auto":
            assert "line 7 of big" in request.messages[-1].text


def test_it_can_be_turned_off(open_chat: Any, make_model: Any, make_call: Any) -> None:
    model = make_model(*[make_call("bash", command="big", lines=120)] * 6, "Done.", window=3000)
    chat = open_chat(model, max_output=16_000, context={"enabled": False})
    chat.ask()
    assert chat.rewrites == []
    assert replace(chat.usage, used=0).window == 3000
