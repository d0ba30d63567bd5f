from __future__ import annotations

from typing import Any

import pytest

from minime_core.testing.fault_server import FaultServer
from minime_core.testing.replies import finish, text, thinking, tool_call
from minime_guards.no_answer import is_announcement, wrap

NOTHING = finish("stop")


@pytest.mark.parametrize(
    ("reply", "note"),
    [
        (NOTHING, "Your answer was empty."),
        (text("  \n"), "Your answer was empty."),
        (thinking("Hm."), "You thought and then said nothing."),
        (text("<think>Hm, and"), "You thought and then said nothing."),
        (text("<think>Hm.</think>\n"), "You thought and then said nothing."),
    ],
)
def test_a_model_that_says_nothing_is_asked_once_more(
    chat: Any, server: FaultServer, reply: Any, note: str
) -> None:
    server.enqueue(reply, text("Here I am."))
    done = chat.ask()
    assert (done.reason, done.text) == ("answered", "Here I am.")
    assert f"hi\n\n[note: {note}" in server.chat_requests[1].json["messages"][-1]["content"]
    assert [m.text for m in chat.session.history.view()] == ["hi", "Here I am."]


def test_an_announced_step_is_asked_for(chat: Any, server: FaultServer) -> None:
    server.enqueue(
        text("Let me run the command:"), tool_call("bash", {"command": "ls"}), text("Two files.")
    )
    assert chat.ask().reason == "answered"
    assert chat.tools.ran == [("bash", {"command": "ls"})]
    beginning, note = server.chat_requests[1].json["messages"][-2:]
    assert beginning == {"role": "assistant", "content": "Let me run the command:"}
    assert "Call the tool now" in note["content"]


def test_the_second_time_the_turn_is_empty(mm: Any, server: FaultServer) -> None:
    server.enqueue(NOTHING, thinking("Hm."))
    code, out, err = mm.ask()
    assert (code, out) == (1, "")
    assert err.splitlines()[-1] == "mm: the model gave no answer"
    assert len(server.chat_requests) == 2


def test_an_announcement_that_stays_one_is_no_answer(chat: Any, server: FaultServer) -> None:
    server.enqueue(text("Let me check the file:"), text("Let me check the file:"))
    assert chat.ask().reason == "empty"


def test_after_a_tool_the_nudge_stands_in_its_result(chat: Any, server: FaultServer) -> None:
    server.enqueue(tool_call("bash", {"command": "ls"}), NOTHING, text("Two files."))
    assert chat.ask().text == "Two files."
    assert (
        "done\n\n[note: Your answer was empty."
        in (server.chat_requests[2].json["messages"][-1]["content"])
    )
    assert chat.results == ["done"]


def test_each_turn_has_its_nudge(chat: Any, server: FaultServer) -> None:
    server.enqueue(NOTHING, text("One."), NOTHING, text("Two."))
    assert [chat.ask().text, chat.ask().text] == ["One.", "Two."]


def test_the_last_request_of_a_turn_is_not_judged(chat: Any, server: FaultServer) -> None:
    chat.set(max_turns=1)
    server.enqueue(tool_call("bash", {"command": "ls"}), NOTHING)
    assert chat.ask().reason == "limit"


@pytest.mark.parametrize(
    "said",
    [
        "Let me run the command:",
        "I see.\n\nNow, let me check the file:",
        "I'll read the file...",
        "I\N{RIGHT SINGLE QUOTATION MARK}ll look at the tests first:",
        "First, I will open it\N{HORIZONTAL ELLIPSIS}",
        "Okay, I'm going to use the tool now:",
        "**Let me first list the files:**",
        "Je vais lire le fichier :",
    ],
)
def test_an_announcement_is_known_by_its_end(said: str) -> None:
    assert is_announcement(said)


@pytest.mark.parametrize(
    "said",
    [
        "Four.",
        "Let me know if you need anything else...",
        "The files are:",
        "Let me run the command:\n\n```bash\nls\n```",
        "Let me run the command:\n- a\n- b",
        "I will explain it:",
        "Let me run it.",
        "You should run the command:",
        "To check it, run this command:",
        "Here is what I found...",
        "And they lived happily ever after...",
        "I'll be here if you need me...",
        "Let me run " + "very " * 60 + "long commands:",
        "The user said he is going to check:",
        "",
    ],
)
def test_an_answer_is_not_taken_for_an_announcement(said: str) -> None:
    assert not is_announcement(said)


def test_without_tools_nothing_can_be_announced(model: Any) -> None:
    script = model.Script([model.done("Let me check:")])
    assert model.run(wrap, script) == [model.done("Let me check:")]
