"""Text tool mode in the loop of a real session."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from format_tools import ALL, TOOLS
from minime_core.errors import ConfigError
from minime_core.events import TextDelta
from minime_core.messages import Message, ToolCall
from minime_tool_formats.family import Family
from scripted_session import answer, ask

CALL = '{"tool": "bash", "arguments": {"command": "ls"}}'
HERMES = '<tool_call>\n{"name": "bash", "arguments": {"command": "ls"}}\n</tool_call>'
LS = ("bash", {"command": "ls"})
DONE = answer('{"ans', 'wer": "There ', 'is one file."}')


def texts(messages: Sequence[Message]) -> list[tuple[str, str]]:
    return [(message.role, message.text) for message in messages]


def test_tools_are_a_part_of_the_system_message() -> None:
    asked = ask(DONE, renders_tools=False)
    [request] = asked.requests
    assert request.tools == ()
    assert request.messages[0].text.startswith("Be brief.\n\n")
    assert all(f"\n{name} {{" in request.messages[0].text for name in TOOLS)
    assert request.schema is not None


def test_the_template_decides_unless_a_setting_does() -> None:
    assert ask(answer("Hi."), renders_tools=True).requests[0].tools
    assert not ask(DONE, renders_tools=True, tool_mode="text").requests[0].tools
    assert ask(answer("Hi."), renders_tools=False, tool_mode="native").requests[0].tools


def test_an_answer_is_shown_as_it_is_written() -> None:
    asked = ask(DONE, renders_tools=False)
    assert [event.text for event in asked.events if isinstance(event, TextDelta)] == [
        "There ",
        "is one file.",
    ]
    assert asked.done.text == "There is one file."


def test_a_call_is_made_and_its_history_is_text() -> None:
    asked = ask(answer(*CALL), DONE, renders_tools=False)
    assert asked.calls == [LS]
    assert texts(asked.requests[1].messages[1:]) == [
        ("user", "What is here?"),
        ("assistant", CALL),
        ("user", '[result of bash]\n{"command": "ls"}'),
    ]


def test_requests_begin_with_the_same_messages() -> None:
    asked = ask(answer(CALL), answer(CALL), DONE, renders_tools=False)
    first, second, third = (request.messages for request in asked.requests)
    assert all(a is b for a, b in zip(second, third, strict=False))
    assert all(a is b for a, b in zip(first, second, strict=False))


def test_calls_that_the_layer_inside_found_are_kept() -> None:
    asked = ask(answer("I look.\n", HERMES), DONE, renders_tools=False)
    assert asked.calls == [LS]
    assert asked.shown == "I look.\nThere is one file."


def test_the_last_answer_of_a_turn_may_not_be_a_call_but_tools_stay_in_the_prompt() -> None:
    asked = ask(answer(CALL), DONE, renders_tools=False, max_turns=1)
    first, last = asked.requests
    assert last.messages[0] is first.messages[0]
    assert first.schema is not None
    assert last.schema is not None
    assert len(first.schema["anyOf"]) == len(TOOLS) + 1
    assert list(last.schema["properties"]) == ["answer"]


def test_fields_that_need_tools_are_left_out() -> None:
    asked = ask(DONE, renders_tools=False, extra_body={"seed": 1})
    assert asked.requests[0].extra == {"seed": 1}


def test_examples_are_turns_between_the_prompt_and_the_question() -> None:
    examples = [
        {"user": "Which files?", "tool": "bash", "arguments": {"command": "ls"}},
        {"result": "a.txt", "of": "bash", "answer": "One: a.txt."},
    ]
    asked = ask(DONE, renders_tools=False, examples=examples)
    assert texts(asked.requests[0].messages[1:]) == [
        ("user", "Which files?"),
        ("assistant", CALL),
        ("user", "[result of bash]\na.txt"),
        ("assistant", '{"answer": "One: a.txt."}'),
        ("user", "What is here?"),
    ]


def test_an_answer_that_is_not_json_is_text() -> None:
    asked = ask(answer("There ", "is one."), renders_tools=False)
    assert asked.done.text == asked.shown == "There is one."


def test_a_cut_call_is_answered_and_does_not_run() -> None:
    asked = ask(answer(CALL[:-5], reason="length"), DONE, renders_tools=False)
    assert asked.calls == [("bash", {})]
    assert "did not run" in asked.requests[1].messages[-1].text


def test_an_unknown_tool_is_answered_with_the_known_ones() -> None:
    asked = ask(answer(CALL.replace("bash", "search")), DONE, renders_tools=False)
    assert "your tools are: bash" in asked.requests[1].messages[-1].text


@pytest.mark.parametrize("family", ALL, ids=lambda family: family.name)
def test_each_family_can_be_the_syntax(family: Family) -> None:
    call = family.render_answer("", [ToolCall(name="bash", arguments={"command": "ls"})])
    asked = ask(answer(*call), answer("One file."), renders_tools=False, tool_format=family.name)
    assert asked.calls == [LS]
    assert asked.shown == asked.done.text == "One file."
    assert asked.requests[0].schema is None
    assert family.usage in asked.requests[0].messages[0].text
    assert asked.requests[1].messages[2].text == call
    assert json.dumps(LS[1]) in asked.requests[1].messages[3].text.replace('\\"', '"')


def test_an_unknown_syntax_is_an_error_that_names_the_known_ones() -> None:
    asked = ask(DONE, renders_tools=False, tool_format="xml")
    assert isinstance(asked.done.error, ConfigError)
    assert "gemma4, glm, harmony, hermes, json, json_block" in str(asked.done.error)
