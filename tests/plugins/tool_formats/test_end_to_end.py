"""Calls in text through `mm -p --yolo` as a process, against a real server."""

from __future__ import annotations

import pytest

from minime_core.testing.command import Mm, Outcome
from minime_core.testing.replies import text, thinking
from minime_core.testing.steps import Reply

HERMES = """\
<tool_call>
{"name": "bash", "arguments": {"command": "echo hi > made"}}
</tool_call>"""
CALLS = {
    "hermes": HERMES,
    "hermes without its opening tag": HERMES.removeprefix("<tool_call>\n"),
    "qwen3_coder": (
        "<tool_call>\n<function=bash>\n<parameter=command>\necho hi > made\n</parameter>\n"
        "</function>\n</tool_call>"
    ),
    "mistral": '[TOOL_CALLS]bash[ARGS]{"command": "echo hi > made"}',
    "old mistral": '[TOOL_CALLS][{"name": "bash", "arguments": {"command": "echo hi > made"}}]',
    "gemma4": '<|tool_call>call:bash{command:<|"|>echo hi > made<|"|>}<tool_call|>',
    "harmony": (
        "<|channel|>commentary to=functions.bash <|constrain|>json<|message|>"
        '{"command": "echo hi > made"}<|call|>'
    ),
    "bare JSON": '{"name": "bash", "parameters": {"command": "echo hi > made"}}',
    "fenced JSON": '```json\n{"tool": "bash", "args": {"command": "echo hi > made"}}\n```',
}
UNKNOWN = '<tool_call>\n{"name": "search", "arguments": {"q": "x"}}\n</tool_call>'
DOCUMENT = f"""\
A call of Hermes looks like this:

```
{HERMES}
```

Mistral begins one with [TOOL_CALLS], inline it is `{CALLS["mistral"]}`."""


def run_mm(mm: Mm, *replies: Reply) -> Outcome:
    """Ask a question, to which the model gives these replies and no more."""
    mm.server.enqueue(*replies)
    outcome = mm.run("--yolo", "-p", "Make a file.")
    assert mm.server.pending == 0
    return outcome


@pytest.mark.sample(3)
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_call_written_as_text_runs_and_none_of_it_is_printed(call: str, mm: Mm) -> None:
    code, out, _ = run_mm(mm, text(call, chunks=len(call)), text("It is made."))
    assert (code, out) == (0, "It is made.\n")
    assert (mm.cwd / "made").read_text() == "hi\n"
    asked, result = mm.server.chat_requests[-1].json["messages"][-2:]
    assert asked["tool_calls"][0]["function"]["name"] == "bash"
    assert result["role"] == "tool"


def test_a_call_written_into_the_thinking_runs(mm: Mm) -> None:
    code, _, _ = run_mm(mm, thinking(HERMES), text("It is made."))
    assert code == 0
    assert (mm.cwd / "made").exists()


@pytest.mark.parametrize(
    "answer", [DOCUMENT, '{"name": "Ann", "arguments": ["none"]}', "<b>[1]</b> {x} `<tool_call>`"]
)
def test_an_answer_about_calls_is_printed_in_full(answer: str, mm: Mm) -> None:
    code, out, _ = run_mm(mm, text(answer))
    assert (code, out) == (0, f"{answer}\n")
    assert not (mm.cwd / "made").exists()


def test_a_model_that_is_told_what_was_wrong_can_call_properly(mm: Mm) -> None:
    replies = text(UNKNOWN), text(HERMES), text("It is made.")
    assert run_mm(mm, *replies)[:2] == (0, "It is made.\n")
    assert "there is no tool 'search'" in mm.server.chat_requests[1].json["messages"][-1]["content"]


def test_a_call_that_never_could_be_made_ends_in_a_failure_that_shows_it(mm: Mm) -> None:
    code, out, err = run_mm(mm, text(UNKNOWN), text(f"I search.\n{UNKNOWN}"))
    assert (code, out) == (1, f"I search.\n{UNKNOWN}\n")
    assert "could not be run" in err


def test_a_cut_call_does_not_run(mm: Mm) -> None:
    cut = text(HERMES.partition(" > made")[0])
    code, out, _ = run_mm(mm, cut, text("I cannot."))
    assert (code, out) == (0, "I cannot.\n")
    assert not (mm.cwd / "made").exists()
    assert "not run" in mm.server.chat_requests[1].json["messages"][-1]["content"].lower()
