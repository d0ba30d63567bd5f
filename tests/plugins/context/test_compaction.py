"""Summaries in the place of old turns: how they are asked for, and what becomes of bad ones."""

from __future__ import annotations

from typing import Any

import pytest

from minime_context.conversation import SUMMARY, split_summary
from minime_context.summary import merged
from minime_core.errors import ConnectionFailed, ContextOverflow, ServerFault, TurnStopped
from minime_core.events import MessageDone
from minime_core.messages import Message, ToolCall, Usage
from minime_core.models import ModelRequest
from minime_core.records import MessageRecord

LONG = "An answer that explains a lot. " * 25


def is_summary(request: ModelRequest) -> bool:
    return request.tool_choice == "none"


def talk(chat: Any, model: Any, summary: Any, turns: int = 12) -> list[str]:
    """Have a conversation of answers too long to be masked; return all that was noticed."""
    model.answers = [lambda request: summary if is_summary(request) else LONG]
    notices: list[str] = []
    for number in range(turns):
        chat.ask(f"Question {number}?")
        notices += chat.notices
    return notices


@pytest.fixture
def model(make_model: Any) -> Any:
    return make_model("Hi.", window=2500)


@pytest.fixture
def chat(open_chat: Any, model: Any) -> Any:
    return open_chat(model, max_tokens=500)


def test_old_turns_become_a_summary_and_the_last_ones_stay(chat: Any, model: Any) -> None:
    notices = talk(chat, model, "They asked about numbers.")
    assert any(notice.startswith("summarising ") for notice in notices)
    assert any(notice.startswith("summarised: about ") for notice in notices)
    first, second, *rest = chat.view[1:]
    assert first.text == f"{SUMMARY}They asked about numbers.\n[end of the summary]"
    assert (first.role, second.role, second.text) == ("user", "assistant", "Understood.")
    questions = [message.text for message in rest if message.role == "user"]
    assert questions[-3:] == ["Question 9?", "Question 10?", "Question 11?"]


def test_that_not_even_the_last_questions_fit_is_said(open_chat: Any, make_model: Any) -> None:
    model = make_model("Hi.", window=2500)
    chat = open_chat(model, max_tokens=500)
    model.answers = [lambda request: "A summary." if is_summary(request) else LONG * 6]
    notices: list[str] = []
    for number in range(6):
        chat.ask(f"Question {number}?")
        notices += chat.notices
    told = "summarising 2 earlier questions; not even the last questions fit as they are"
    assert told in notices
    assert split_summary(chat.view[1].text)[0]


def test_it_is_asked_for_with_the_same_prefix_and_no_calls(chat: Any, model: Any) -> None:
    talk(chat, model, "A summary.")
    number = next(n for n, request in enumerate(model.requests) if is_summary(request))
    asked, before = model.requests[number], model.requests[number - 1]
    *same, instruction = asked.messages
    assert before.messages[: len(same)] == tuple(same)
    assert all(a is b for a, b in zip(same, before.messages, strict=False))
    assert instruction.role == "user"
    assert "Summarise our conversation so far" in instruction.text
    assert asked.tools == before.tools
    assert (asked.thinking, asked.patience, asked.max_tokens) == ("off", 2, 2500 // 8)


def test_a_word_that_turns_thinking_off_comes_last_and_leaves_the_beginning_as_it_is(
    open_chat: Any, model: Any
) -> None:
    word = {"thinking_off_word": "/no_think", "thinking_off": {"effort": "none"}}
    chat = open_chat(model, plugins=("prompt", "context"), max_tokens=500, prompt=word)
    talk(chat, model, "A summary.", turns=14)
    number = next(n for n, request in enumerate(model.requests) if is_summary(request))
    asked, before = model.requests[number], model.requests[number - 1]
    assert asked.messages[:-1] == before.messages[: len(asked.messages) - 1]
    assert asked.messages[-1].text.endswith("\n\n/no_think")
    assert asked.extra["effort"] == "none"
    assert not any("/no_think" in m.text for r in model.requests for m in r.messages[:-1])


def test_a_summary_is_merged_and_never_summarised_again(chat: Any, model: Any) -> None:
    said = iter(range(100))
    model.answers = [lambda r: f"Part {next(said)}." if is_summary(r) else LONG]
    for number in range(30):
        chat.ask(f"Question {number}?")
    summary, _ = split_summary(chat.view[1].text)
    assert summary.startswith("Part 0.\n\nPart 1.\n\nPart 2.")
    later = [request for request in model.requests if is_summary(request)][1:]
    assert all("do not repeat it" in request.messages[-1].text for request in later)


def test_of_two_long_summaries_the_middle_of_the_old_one_goes() -> None:
    old, new = "first " + "o" * 2000 + " last", "n" * 500
    text = merged(old, new, 1500)
    assert len(text) <= 1500
    assert text.startswith("first o")
    assert "o last" in text
    assert text.endswith("n" * 500)


def test_the_whole_conversation_stays_in_the_store(chat: Any, model: Any) -> None:
    talk(chat, model, "A summary.")
    stored = [r.message.text for r in chat.session.history.records if isinstance(r, MessageRecord)]
    assert [t for t in stored if t.startswith("Question")] == [f"Question {n}?" for n in range(12)]
    assert not any(SUMMARY in message for message in stored)


def test_a_resumed_session_has_the_same_messages(chat: Any, model: Any, open_chat: Any) -> None:
    talk(chat, model, "A summary.")
    view = chat.view
    chat.close()
    again = open_chat(model, resume="")
    assert again.view == view


CALLING = Message(
    role="assistant", calls=(ToolCall(name="bash", arguments={"command": "rm -rf /"}),)
)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("", "the model wrote nothing"),
        ("  \n ", "the model wrote nothing"),
        (CALLING, "the model wrote a call"),
        (ServerFault("it broke"), "it broke"),
        (TurnStopped("stalled: nothing came", reason="stalled"), "stalled: nothing came"),
        (ContextOverflow("", needed=9000, window=2500), "the request for it did not fit"),
    ],
)
def test_without_a_summary_the_questions_are_listed_by_name(
    chat: Any, model: Any, answer: Any, why: str
) -> None:
    notices = talk(chat, model, answer)
    said = f"{why}: instead of a summary, earlier questions are listed by name"
    assert any(notice.startswith(said) for notice in notices)
    summary, _ = split_summary(chat.view[1].text)
    assert "- asked: Question 0?\n  answered: An answer that explains a lot." in summary
    assert chat.events[-1].reason == "answered"


def test_text_beside_a_call_is_a_summary(chat: Any, model: Any) -> None:
    call = ToolCall(name="bash", arguments={"command": "ls"})
    talk(chat, model, Message(role="assistant", text="They asked.", calls=(call,)))
    assert split_summary(chat.view[1].text)[0].startswith("They asked.")


def test_a_summary_that_was_cut_off_ends_with_a_whole_line(chat: Any, model: Any) -> None:
    cut = Message(role="assistant", text="- one thing\n- another th")
    talk(chat, model, MessageDone(message=cut, finish_reason="length"))
    assert split_summary(chat.view[1].text)[0].splitlines()[0] == "- one thing"
    assert "another" not in chat.view[1].text


def test_a_summary_that_is_too_long_is_shortened(chat: Any, model: Any) -> None:
    talk(chat, model, "word " * 20_000)
    assert len(chat.view[1].text) < 2500


def test_a_server_that_is_gone_costs_nothing(chat: Any, model: Any) -> None:
    talk(chat, model, ConnectionFailed("gone", provider="model"), turns=4)
    before = len(chat.view)
    model.answers = [ConnectionFailed("gone", provider="model")]
    done = chat.ask("One more?")
    assert done.reason == "failed"
    assert chat.rewrites.count("summary") == 0
    assert len(chat.view) == before + 1


def test_an_overflow_of_the_request_for_it_masks_more_and_asks_again(
    open_chat: Any, make_model: Any, make_call: Any
) -> None:
    asked: list[ModelRequest] = []

    def answer(request: ModelRequest) -> Any:
        if not is_summary(request):
            return make_call("bash", command="ls", lines=20) if len(asked) < 2 else LONG
        asked.append(request)
        if len(asked) == 1:
            return ContextOverflow("", needed=5000, window=4000)
        return "It fits now."

    model = make_model(answer, window=4000)
    chat = open_chat(model, max_tokens=500)
    for number in range(3):
        model.answers = [make_call("bash", command=f"run {number}", lines=20), LONG]
        chat.ask(f"Question {number}?")
    model.answers = [answer]
    assert "summarised" in chat.command("compact")
    first, second = asked
    assert any("line 7" in message.text for message in first.messages)
    assert not any("line 7" in message.text for message in second.messages)
    assert "It fits now." in chat.view[1].text


def test_the_prompt_for_it_can_be_ones_own(open_chat: Any, model: Any) -> None:
    chat = open_chat(model, max_tokens=500, context={"prompt": "Be a poet."})
    talk(chat, model, "A summary.")
    asked = next(request for request in model.requests if is_summary(request))
    assert asked.messages[-1].text == "Be a poet."


def test_a_turn_of_many_calls_is_summarised_within_and_its_question_stays(
    open_chat: Any, make_model: Any
) -> None:
    """Arguments cannot be masked, so that old calls of the same turn have to go."""
    written = Message(
        role="assistant",
        calls=(ToolCall(name="bash", arguments={"command": "echo " + "x" * 900}),),
    )
    count = iter(range(100))

    def answer(request: ModelRequest) -> Any:
        if is_summary(request):
            return "Wrote some files."
        return written if next(count) < 25 else "Done."

    model = make_model(answer, window=2500)
    chat = open_chat(model, max_tokens=300, tools=[_quiet()])
    assert chat.ask("Write the files.").text == "Done."
    assert model.counts(model.requests[-1]).prompt_tokens < 2500
    summary, question = split_summary(chat.view[1].text)
    assert summary.startswith("Wrote some files.")
    assert question == "Write the files."
    assert chat.view[2].calls
    assert any(
        n.startswith("summarising earlier calls of this one; not even") for n in chat.notices
    )


def _quiet() -> Any:
    from dataclasses import replace

    from minime_core.tools import Tool, ToolResult

    async def run(arguments: Any, context: Any) -> ToolResult:
        return ToolResult(text="ok")

    schema = {"type": "object", "properties": {"command": {"type": "string"}}}
    tool = Tool(
        name="bash", description="Run.", schema=schema, run=run, effects=frozenset({"execute"})
    )
    return replace(tool, kind="execute")


def test_what_the_model_said_it_did_is_in_the_digest(
    open_chat: Any, make_model: Any, make_call: Any
) -> None:
    model = make_model("", window=4000)
    chat = open_chat(model)
    for number in range(4):
        model.answers = [make_call("bash", command=f"run {number}", lines=2), f"Answer {number}."]
        chat.ask(f"Question {number}?")
    model.answers = [""]
    chat.command("compact")
    assert split_summary(chat.view[1].text)[0] == (
        '- asked: Question 0?\n  called: "run 0"\n  answered: Answer 0.'
    )


@pytest.mark.parametrize("tokens", [None, 0, 1, 10**9])
def test_counts_of_any_kind_keep_the_conversation_within_the_window(
    chat: Any, model: Any, tokens: int | None
) -> None:
    model.counts = lambda request: Usage(prompt_tokens=tokens)
    talk(chat, model, "A summary.", turns=20)
    assert sum(len(message.text) for message in model.requests[-1].messages) < 2500 * 3.5
