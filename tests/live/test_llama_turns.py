"""Turns of `mm` on a real llama-server: text tool mode, strict templates, cancel, cache."""

from __future__ import annotations

import json
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from live_mm import Mm
from llama_server import LlamaServer
from minime_core.history import History
from minime_core.messages import Message, ToolCall
from minime_core.store import SessionFile, header

pytestmark = pytest.mark.live

ROUNDS = (
    ("Run ls", "ls", "a.txt"),
    ("Run pwd", "pwd", "/tmp"),
)


def mm_for(server: LlamaServer, folder: Path, *options: str) -> Mm:
    return Mm(folder, "--provider", "llamacpp", "--base-url", server.base_url, *options)


def write_session(mm: Mm, rounds: Sequence[tuple[str, str, str]]) -> None:
    """Store a conversation in which each question led to one command with its result."""
    file = SessionFile(mm.session_file("before"))
    history = History(store=file)
    history.append(header("before", system="You run commands with the tool bash."))
    for question, command, result in rounds:
        history.add_question(question)
        call = ToolCall(id=history.new_call_id(), name="bash", arguments={"command": command})
        history.add_answer(Message(role="assistant", calls=(call,)))
        history.add_result(call, result)
        history.add_answer(Message(role="assistant", text=result))
    file.close()


def test_a_tool_is_called_in_text_tool_mode(llama: LlamaServer, tmp_path: Path) -> None:
    mm = mm_for(llama, tmp_path)
    (mm.folder / "notes.md").write_text("Water the roses.\n")
    (mm.folder / "README.md").write_text("Sow the peas.\n")
    # So small a model may answer without a look; to no question in three it has never done so.
    questions = ("Show me README.md", "What is in README.md?", "Read README.md")
    runs = [mm.run("-p", question) for question in questions]
    assert [done.code for done in runs] == [0, 0, 0]
    assert all(done.out.strip() for done in runs)
    assert any("● read_file: README.md\n  Sow the peas.\n" in done.err for done in runs)


def test_a_plain_answer_is_constrained_to_one_too(llama: LlamaServer, tmp_path: Path) -> None:
    done = mm_for(llama, tmp_path).run("--output", "json", "-p", "Hello")
    assert (done.json["reason"], done.json["profile"]) == ("answered", "smollm2-135m")
    assert not done.json["answer"].startswith("{")


def test_a_native_call_is_run(llama_strict_tools: LlamaServer, tmp_path: Path) -> None:
    mm = mm_for(llama_strict_tools, tmp_path, "--profile", "default", "--yolo", "--max-turns", "2")
    write_session(mm, ROUNDS)
    done = mm.run("--output", "json", "-c", "-p", "Run date")
    assert done.code in (0, 1), done
    assert [call["name"] for call in done.json["calls"]][:1] == ["bash"], done


@pytest.mark.parametrize("name", ["llama_strict_tools", "llama_single_system"])
def test_a_conversation_with_failure_and_refusal_is_accepted_after_a_resume(
    name: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    server: LlamaServer = request.getfixturevalue(name)
    mm = mm_for(server, tmp_path, "--profile", "default", "--max-turns", "1")
    refusal = "[bash: not allowed, the user said no. It did NOT run and its result is unknown.]"
    failure = "[bash: exit code 2]"
    write_session(mm, [*ROUNDS, ("Run make", "make", failure), ("Run rm x", "rm x", refusal)])
    # A question that was never answered, as a killed mm leaves it.
    file = SessionFile(mm.session_file("before"))
    history = History(file.resume().records, file)
    history.add_question("Are you there?")
    file.close()
    for question in ("What did the command print?", "Thanks"):
        done = mm.run("--output", "json", "-c", "-p", question)
        # A template that refuses the history would be an error of the provider: exit code 3.
        assert done.code in (0, 1), done


def test_ctrl_c_frees_the_slot(llama_single_system: LlamaServer, tmp_path: Path) -> None:
    mm = mm_for(llama_single_system, tmp_path, "--profile", "default")
    (mm.folder / "long.yaml").write_text("extra_body: {ignore_eos: true}\nmax_tokens: 3000\n")
    process = mm.start("--config", "long.yaml", "--output", "jsonl", "-p", "Count to a thousand.")
    assert process.stdout
    assert any('"text_delta"' in line for line in process.stdout)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130
    llama_single_system.wait_until_idle()
    assert llama_single_system.slots()[0]["next_token"][0]["has_next_token"]


def answers(mm: Mm, question: str, *options: str) -> list[dict[str, Any]]:
    """Ask in a process of its own, and return each answer of the model with its counts."""
    out = mm.run(*options, "--output", "jsonl", "-p", question).out
    return [e for e in map(json.loads, out.splitlines()) if e["type"] == "message_done"]


@pytest.mark.parametrize(
    ("name", "profile"), [("llama", "smollm2-135m"), ("llama_strict_tools", "default")]
)
def test_from_the_second_question_on_only_what_is_new_is_read(
    name: str, profile: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    server: LlamaServer = request.getfixturevalue(name)
    mm = mm_for(server, tmp_path, "--profile", profile, "--yolo", "--max-turns", "2")
    (mm.folder / "notes.md").write_text("Water the roses.\n")
    (mm.folder / "brief.yaml").write_text("max_tokens: 60\n")
    brief = ("--config", "brief.yaml")
    (before, *more) = answers(mm, "Read notes.md", *brief)
    for question in ("Thanks", "Read notes.md", "What did I ask?"):
        more += answers(mm, question, "-c", *brief)
    assert len(more) >= 3
    assert before["usage"]["prompt_tokens"] > 200
    for now in more:
        known = before["usage"]["prompt_tokens"] + before["usage"]["completion_tokens"]
        new = now["usage"]["prompt_tokens"] - known
        assert now["timings"]["prompt_tokens"] <= 60 + max(new, 0)
        before = now
