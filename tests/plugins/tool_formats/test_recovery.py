"""Calls in text in the loop of a real session."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from format_tools import outcome, pieces_of
from minime_core.events import (
    Heartbeat,
    Retracted,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
    ToolDone,
)
from minime_core.messages import ToolCall
from scripted_session import answer, ask

CALL = '<tool_call>\n{"name": "bash", "arguments": {"command": "ls"}}\n</tool_call>'
LS = ("bash", {"command": "ls"})
UNKNOWN = '<tool_call>\n{"name": "search", "arguments": {"q": "x"}}\n</tool_call>'
DONE = answer("There is one file.")


def test_a_call_in_the_text_is_made_and_answered() -> None:
    asked = ask(answer("I look.\n", CALL), DONE)
    assert asked.calls == [LS]
    assert [event.ok for event in asked.events if isinstance(event, ToolDone)] == [True]
    assert (asked.done.reason, asked.done.text) == ("answered", "There is one file.")
    assert asked.requests[1].messages[-2].text == "I look.\n"


def test_nothing_of_a_call_is_shown_while_it_is_written() -> None:
    asked = ask(answer(*f"I look.\n{CALL}\n"), DONE)
    assert asked.shown == "I look.\nThere is one file."
    assert asked.calls == [LS]


def test_each_piece_that_is_held_back_is_a_heartbeat() -> None:
    pieces = list(CALL)
    asked = ask(answer(*pieces), DONE)
    assert asked.events[: len(pieces)] == [Heartbeat()] * len(pieces)


def test_a_call_of_the_protocol_wins_and_the_text_is_left_alone() -> None:
    now = ToolCall(name="now", arguments={})
    first = answer("Like so: ", CALL, calls=[now])
    script = [*first[:-1], ToolCallDelta(0, "now", "{}"), first[-1]]
    for asked in (ask(script, DONE), ask(first, DONE)):
        assert asked.calls == [("now", {})]
        assert asked.shown == f"Like so: {CALL}There is one file."
        assert asked.history.view()[2].text == f"Like so: {CALL}"


def test_a_call_behind_the_thinking_is_made() -> None:
    asked = ask(answer(CALL, thinking=["I have to look."]), DONE)
    assert asked.calls == [LS]


def test_a_call_in_the_thinking_is_made_when_there_is_nothing_else() -> None:
    asked = ask(answer(thinking=["I have to look. ", CALL]), DONE)
    assert asked.calls == [LS]
    assert asked.history.view()[2].thinking == "I have to look. "


def test_of_calls_in_the_thinking_the_last_ones_count() -> None:
    draft = CALL.replace("ls", "rm -rf .")
    asked = ask(answer(thinking=[f"Not {draft}\nbut\n{CALL}\n{CALL}\nand wait."]), DONE)
    assert asked.calls == [LS, LS]


def test_a_call_in_the_thinking_is_not_made_beside_an_answer() -> None:
    asked = ask(answer("It is empty.", thinking=[CALL]))
    assert (asked.calls, asked.done.reason) == ([], "answered")


def test_json_in_the_thinking_is_no_call() -> None:
    asked = ask(answer(thinking=['{"name": "bash", "arguments": {"command": "ls"}}']))
    assert (asked.calls, asked.done.reason) == ([], "empty")


def test_a_cut_call_does_not_run() -> None:
    asked = ask(answer(CALL[:-25], reason="length"), DONE)
    [result] = [event for event in asked.events if isinstance(event, ToolDone)]
    assert not result.ok
    assert asked.calls == [("bash", {})]


def test_text_that_is_withdrawn_is_read_anew() -> None:
    script = [TextDelta("<tool_call>"), Retracted(), *answer(CALL)]
    asked = ask(script, DONE)
    assert asked.calls == [LS]


def test_an_answer_that_comes_without_pieces_is_read() -> None:
    asked = ask(answer(f"I look.\n{CALL}")[-1:], DONE)
    assert asked.calls == [LS]
    assert asked.shown == "I look.\nThere is one file."


def test_thinking_passes_as_it_comes() -> None:
    asked = ask(answer("Done.", thinking=["a", "b"]))
    assert asked.events[:3] == [ThinkingDelta("a"), ThinkingDelta("b"), TextDelta("Done.")]


def test_the_format_of_the_profile_is_tried_first() -> None:
    text = "<tool_call>now</tool_call>"
    assert ask(answer(text), DONE, tool_format="glm").calls == [("now", {})]


# Calls that cannot be made


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (UNKNOWN, "there is no tool 'search'; your tools are: bash, now, sample, write_file"),
        (CALL.replace("command", "cmd"), "expected {command}"),
        ("<tool_call>\nls\n</tool_call>", "it could not be read"),
        ("[TOOL_CALLS]search[ARGS]{}", "[TOOL_CALLS]NAME[ARGS]{...}"),
        ('{"tool": "bash", "args": {"cmd": 1}}', "nothing before or after it"),
    ],
)
def test_the_model_is_told_once_what_was_wrong_and_how_to_call(text: str, told: str) -> None:
    asked = ask(answer(text), answer(CALL), DONE)
    assert told in asked.requests[1].messages[-1].text
    assert asked.requests[1].messages[-1].text.startswith("What is here?")
    assert asked.calls == [LS]
    assert asked.done.reason == "answered"


def test_the_broken_call_is_neither_shown_nor_kept() -> None:
    asked = ask(answer(f"I look.\n{UNKNOWN}"), answer("It is empty."))
    assert asked.shown == asked.done.text == "I look.\nIt is empty."
    assert [message.text for message in asked.requests[1].messages[2:3]] == ["I look.\n"]
    assert UNKNOWN not in str(asked.history.view())


def test_a_second_broken_call_ends_the_turn_and_is_shown() -> None:
    asked = ask(answer(UNKNOWN), answer("Again: \n", UNKNOWN))
    assert asked.done.reason == "unexecuted"
    assert asked.done.text == asked.shown == f"Again: \n{UNKNOWN}"


def test_each_turn_has_its_own_chance() -> None:
    asked = ask(answer(UNKNOWN), answer(CALL), answer(UNKNOWN))
    assert asked.done.reason == "unexecuted"
    assert asked.calls == [LS]


def test_the_last_answer_of_a_turn_is_not_asked_for_again() -> None:
    asked = ask(answer(CALL), answer(UNKNOWN), max_turns=1)
    assert asked.done.reason == "limit"
    assert asked.done.text == UNKNOWN


def test_a_call_in_the_last_answer_of_a_turn_is_not_made() -> None:
    asked = ask(answer(CALL), answer("I stop.\n", CALL), max_turns=1)
    assert (asked.done.reason, asked.done.text) == ("limit", "I stop.\n")
    assert asked.calls == [LS]


# Text


NO_CALLS = [
    f"Hermes writes:\n\n```\n{CALL}\n```\n\nThat is all.",
    f"`{CALL}`",
    "The token [TOOL_CALLS] begins a call of Mistral, <tool_call> one of Qwen.",
    '{"people": [{"name": "Ann"}, {"name": "Bo"}]}',
    '[{"name": "bash", "version": 5}]',
    "<div>\n  <function name='x'>y</function>\n</div>",
    "<tool_call>",
    "| a | b |\n|---|---|\n| `<|x|>` | [1] |",
    "It's `a` and ``b` `` and ~~gone~~.",
]


@pytest.mark.parametrize("text", [text for text in NO_CALLS if text != "<tool_call>"])
def test_text_is_shown_in_full_and_asked_about_once(text: str) -> None:
    asked = ask(answer(*text))
    assert asked.done.text == asked.shown == text
    assert (asked.done.reason, len(asked.requests)) == ("answered", 1)


MARKS = ["`", "```", "~~~", "<", "[", "{", "\n", " ", '{"name": "', CALL[:11], CALL[-12:]]
characters = st.characters(codec="utf-8", exclude_characters="\0")
texts = st.lists(
    st.sampled_from(NO_CALLS + MARKS) | st.text(characters, max_size=5), max_size=6
).map("".join)


@given(texts, st.data())
def test_without_a_call_all_of_the_text_is_shown_in_order(text: str, data: st.DataObject) -> None:
    before, calls, broken = outcome([text])
    assume(not calls)
    pieces = data.draw(pieces_of(text))
    asked = ask(answer(*pieces), answer(*pieces))
    # What looks like a call at the end is asked about first, and shown when it comes again.
    assert asked.shown == (before + text if broken else text)
    assert asked.done.text.endswith(text)
    assert len(asked.requests) == (2 if broken else 1)
    assert asked.done.reason == (
        "unexecuted" if broken else "answered" if text.strip() else "empty"
    )
