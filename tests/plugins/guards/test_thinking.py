from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minime_core.events import MessageDone, ModelEvent, Retracted, TextDelta, ThinkingDelta
from minime_core.testing.fault_server import FaultServer
from minime_core.testing.replies import text, thinking, tool_call
from minime_guards.think_splitter import Splitter, split
from minime_guards.thinking import wrap

HARMONY = (
    "<|channel|>analysis<|message|>They add.<|end|><|start|>assistant"
    "<|channel|>final<|message|>Four.<|return|>"
)


def shown(events: list[ModelEvent]) -> tuple[str, str]:
    """Return the thinking and the text that a frontend has on screen after `events`."""
    thoughts = said = ""
    for event in events:
        if isinstance(event, ThinkingDelta):
            thoughts += event.text
        elif isinstance(event, TextDelta):
            said += event.text
        elif isinstance(event, Retracted):
            thoughts, said = "", said if event.thinking_only else ""
    return thoughts, said


def stream(pieces: list[str]) -> list[ModelEvent]:
    splitter = Splitter()
    events: list[ModelEvent] = []
    for piece in pieces:
        events += [TextDelta(piece)] if splitter.passes(piece) else splitter.feed(piece)
    return [*events, *splitter.end()]


@pytest.mark.parametrize(
    ("written", "thoughts", "said"),
    [
        ("<think>\nIt adds.\n</think>\n\nFour.", "It adds.\n", "Four."),
        ("<thinking>It adds.</thinking>Four.", "It adds.", "Four."),
        ("\n  <think>a</think>\n<think>b</think> c", "a\nb", "c"),
        ("[THINK]It adds.[/THINK]Four.", "It adds.", "Four."),
        ("<|channel>thought\nIt adds.\n<channel|>Four.", "It adds.\n", "Four."),
        ("<|channel>thought\n<channel|>Four.", "", "Four."),
        (HARMONY, "They add.", "Four."),
        ("<|channel|>final<|message|>Four.", "", "Four."),
        ("<think>\n\n</think>\n\nFour.", "", "Four."),
        # Without an opening tag.
        ("It adds.\nYes.\n</think>\n\nFour.", "It adds.\nYes.\n", "Four."),
        ("It adds.</think>\nFour.", "It adds.", "Four."),
        ("It adds.<channel|>Four.", "It adds.", "Four."),
        ("</think>\n\nFour.", "", "Four."),
        # Without a closing tag.
        ("<think>It adds, and", "It adds, and", ""),
        ("<|channel>thought\nIt adds", "It adds", ""),
        ("<|channel|>analysis<|message|>They", "They", ""),
        # A call that follows thinking is left for those who read calls.
        (
            "<|channel|>analysis<|message|>Look.<|end|><|start|>assistant<|channel|>commentary "
            'to=functions.bash <|constrain|>json<|message|>{"command": "ls"}<|call|>',
            "Look.",
            "<|channel|>commentary to=functions.bash <|constrain|>json<|message|>"
            '{"command": "ls"}<|call|>',
        ),
        ('<think>a</think>\n<tool_call>{"name": "x"}', "a", '<tool_call>{"name": "x"}'),
    ],
)
def test_thinking_is_told_apart(written: str, thoughts: str, said: str) -> None:
    assert split(written) == (thoughts, said)


@pytest.mark.parametrize(
    "said",
    [
        "Four.",
        "\n\nFour.",
        "Models write `<think>` and `</think>` around thoughts.",
        "```\n<think>\na\n</think>\n```\nis the format.",
        "~~~xml\n</think>\n~~~\n",
        "1. First:\n   ```xml\n   </think>\n   ```",
        "The tag <think> opens it and the tag </think>\ncloses it.",
        "It ends with </think> as you know.",
        'It ends with "</think>"\nas you know.',
        "Vectors <x, y> and 1 < 2 << 3 <t",
        "Use <|end|> or <|start|>assistant in the prompt.",
        "[THIN",
        "A [THINK] in the middle[/THINK] of text",
        "<thinks>no</thinks>",
    ],
)
def test_an_answer_that_only_speaks_of_tags_is_left_alone(said: str) -> None:
    assert split(said) == ("", said)


def test_a_closing_tag_that_thinking_quotes_does_not_end_it() -> None:
    assert split("<think>I close with `</think>`.</think>So.") == (
        "I close with `</think>`.",
        "So.",
    )


@given(
    st.lists(
        st.sampled_from(
            ["<think>", "</think>", "<thinking>", "</thinking>", "<|channel>thought", "<channel|>",
             "<|channel|>", "analysis<|message|>", "final<|message|>", "<|end|>", "<|start|>",
             "assistant", "`", "```", "~~~", "\n", " ", "word", ".", "<", "[THINK]", "[/THINK]",
             "</", "think>", "\n```\n", '"']
        )
    ),
    st.lists(st.integers(1, 9), min_size=1),
)  # fmt: skip
def test_where_pieces_are_cut_makes_no_difference(parts: list[str], sizes: list[int]) -> None:
    written = "".join(parts)
    pieces: list[str] = []
    at = 0
    while at < len(written):
        size = sizes[len(pieces) % len(sizes)]
        pieces.append(written[at : at + size])
        at += size
    assert shown(stream(pieces)) == split(written)


@given(st.text())
def test_text_without_tags_is_shown_as_it_is(written: str) -> None:
    if "<" not in written and "[" not in written:
        assert shown(stream(list(written))) == ("", written)


def test_what_was_shown_as_text_and_was_thinking_is_withdrawn() -> None:
    assert stream(["It ", "adds.", "\n</think>", "\n\n", "Four."]) == [
        TextDelta("It "),
        TextDelta("adds."),
        TextDelta("\n"),
        Retracted(),
        ThinkingDelta("It adds.\n"),
        TextDelta("Four."),
    ]


def test_nothing_is_withdrawn_that_nobody_has_seen() -> None:
    assert stream(["It adds.\n</think>\n\nFour."]) == [
        ThinkingDelta("It adds.\n"),
        TextDelta("Four."),
    ]


def test_thinking_that_the_server_told_apart_stays_when_text_is_withdrawn(model: Any) -> None:
    events = model.run(
        wrap,
        model.Script(
            [
                ThinkingDelta("First."),
                TextDelta("It adds.\n"),
                TextDelta("</think>\n"),
                TextDelta("Four."),
                model.done("It adds.\n</think>\nFour.", thinking="First."),
            ]
        ),
    )
    assert shown(events) == ("First.\nIt adds.\n", "Four.")
    done = events[-1]
    assert isinstance(done, MessageDone)
    assert done.message.thinking == "First.\nIt adds.\n"
    assert done.message.text == "Four."


def test_an_endless_row_of_closing_tags_withdraws_little() -> None:
    events = stream(["so\n", "</think>\n"] * 1000)
    assert sum(event == Retracted() for event in events) <= 3


# Against the fault server


@pytest.mark.parametrize("chunks", [1, 7, 40])
def test_thinking_is_neither_in_the_answer_nor_in_the_history(
    chat: Any, server: FaultServer, chunks: int
) -> None:
    written = "<think>\nThe sum.\n</think>\n\nFour."
    server.enqueue(text(written, chunks=chunks), text("Yes."))
    assert chat.ask().text == "Four."
    assert shown(chat.events)[0].strip() == "The sum."
    chat.ask("sure?")
    assert server.chat_requests[1].json["messages"][-2] == {
        "role": "assistant",
        "content": "Four.",
    }


def test_a_call_after_thinking_in_the_text_runs(chat: Any, server: FaultServer) -> None:
    server.enqueue(
        text("<think>I look.</think>") + tool_call("bash", {"command": "ls"}),
        thinking("Now") + text("Two files."),
    )
    assert chat.ask().text == "Two files."
    assert chat.tools.ran == [("bash", {"command": "ls"})]


def test_only_the_answer_is_printed(mm: Any, server: FaultServer) -> None:
    server.enqueue(text("The sum is four.\n</think>\n\nFour."))
    assert mm.ask() == (0, "Four.\n", "")
