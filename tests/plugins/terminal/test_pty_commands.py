"""Each command of the conversation, at the keyboard."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from minime_core.testing import Mm, text, thinking, tool_call
from pty_mm import ENTER, QuickPtyMm

Start: TypeAlias = Callable[..., QuickPtyMm]
READY = "/help shows more"
STEPS = [
    {"step": "look around", "status": "done"},
    {"step": "mend it", "status": "in_progress"},
    {"step": "test it", "status": "pending"},
]
PLAN = "[x] look around\n[>] mend it\n[ ] test it\n"


def asked(mm: Mm) -> list[str]:
    """Return what the model heard of the user with the last request."""
    messages = mm.server.chat_requests[-1].json["messages"]
    return [message["content"] for message in messages if message["role"] == "user"]


def say(terminal: QuickPtyMm, command: str, seen: str) -> str:
    """Run a command, wait for what it shows, and return all that it shows."""
    before = len(terminal.text.rstrip())
    terminal.see_prompt()
    terminal.ask(command)
    terminal.until(lambda: seen in terminal.text[before:], seen)
    terminal.see_prompt()
    return terminal.text[before:]


def test_help_tools_profile_and_skills_tell_what_there_is(start: Start, mm: Mm) -> None:
    skill = Path(mm.cwd.parent, "home/.config/mini-me/skills/deploy.md")
    skill.parent.mkdir(parents=True)
    skill.write_text("---\nname: deploy\ndescription: Brings it out.\n---\nRun make deploy.\n")
    terminal = start()
    shown = say(terminal, "/help", "with a skill.")
    listed = re.findall(r"^(/\w+)  ", shown, re.MULTILINE)
    assert listed == sorted(listed)
    assert set(listed) >= {
        *("/help", "/new", "/compact", "/undo", "/model", "/profile", "/skills", "/tools"),
        *("/plan", "/context", "/quit"),
    }
    assert "bash        execute" in say(terminal, "/tools", "write_file")
    assert "Run a shell command" in say(terminal, "/tools bash", "bash {command, timeout?}")
    assert "there are: bash" in say(terminal, "/tools bsh", "there is no tool bsh")
    shown = say(terminal, "/profile", "default: ")
    assert re.search(r"^qwen3\.5 +Qwen3\.5, ", shown, re.MULTILINE)
    assert "$deploy  Brings it out." in say(terminal, "/skills", "deploy")
    assert "did you mean /help?" in say(terminal, "/hlep", "there is no command")


def test_a_profile_is_chosen_and_the_conversation_goes_on(start: Start, mm: Mm) -> None:
    terminal = start(text("One."), text("Two."))
    say(terminal, "The first.", "One.")
    shown = say(terminal, "/profile qwen3-4b", "profile qwen3-4b")
    assert "(1 question so far; the last one:)" in shown
    say(terminal, "The second.", "Two.")
    assert asked(mm) == ["The first.", "The second."]
    assert "no profile" in say(terminal, "/profile nonsense", "mm: ")


def test_a_model_is_chosen_from_what_the_servers_have(start: Start, mm: Mm) -> None:
    mm.server.routes["GET /v1/models"] = {"data": [{"id": "m"}, {"id": "other"}]}
    terminal = start(text("One."), text("Two."))
    say(terminal, "The first.", "One.")
    terminal.ask("/model other")
    terminal.see("Mini Me · other")
    assert "Two." in say(terminal, "The second.", "Two.")
    request = mm.server.chat_requests[-1].json
    assert request["model"] == "other"
    assert asked(mm) == ["The first.", "The second."]
    assert "`/model` lists them" in say(terminal, "/model 9", "there is no model 9")
    terminal.ask("/model")
    terminal.see("Which one?")
    terminal.type(ENTER)
    terminal.see("other stays")


def test_new_begins_anew(start: Start, mm: Mm) -> None:
    terminal = start(text("One."), text("Two."))
    say(terminal, "The first.", "One.")
    say(terminal, "/new", READY)
    say(terminal, "The second.", "Two.")
    assert asked(mm) == ["The second."]


def test_undo_withdraws_the_turn_and_restores_its_files(start: Start, mm: Mm) -> None:
    (mm.cwd / "kept.txt").write_text("before\n")
    read = tool_call("read_file", {"path": "kept.txt"})
    change = tool_call("write_file", {"path": "kept.txt", "content": "after\n"})
    make = tool_call("write_file", {"path": "made.txt", "content": "made\n"})
    replies = (read, change, make, text("Changed."), text("Two."))
    terminal = start(*replies, options=("--yolo",))
    say(terminal, "Change it.", "Changed.")
    assert (mm.cwd / "kept.txt").read_text() == "after\n"
    shown = say(terminal, "/undo", "the model will not hear again of: Change it.")
    assert "kept.txt" in shown
    assert "made.txt" in shown
    assert (mm.cwd / "kept.txt").read_text() == "before\n"
    assert not (mm.cwd / "made.txt").exists()
    say(terminal, "And now?", "Two.")
    assert asked(mm) == ["And now?"]
    say(terminal, "/undo", "the model will not hear again of: And now?")
    say(terminal, "/undo", "there is nothing to undo")


@pytest.mark.parametrize("term", ["xterm-256color", "dumb"])
def test_plan_and_thoughts_are_shown_again(term: str, start: Start, mm: Mm) -> None:
    settings = mm.cwd / "settings.yaml"
    settings.write_text("builtin_tools: {plan: true}\n")
    reply = thinking("First I look around.") + tool_call("plan", {"steps": STEPS})
    options = ("--config", str(settings))
    terminal = start(reply, text("Planned."), options=options, env={"TERM": term})
    if term == "dumb":
        terminal.type("/plan\n")
        terminal.see("the model has shown no plan")
        terminal.type("Plan it.\n")
        terminal.see("Planned.")
        terminal.type("/plan\n/thoughts\n")
        terminal.see("First I look around.")
    else:
        say(terminal, "/plan", "the model has shown no plan")
        say(terminal, "Plan it.", "Planned.")
        say(terminal, "/plan", "[x] look around")
        say(terminal, "/thoughts", "First I look around.")
    shown = terminal.text
    assert "● plan\n  [x] look around\n  [>] mend it\n  [ ] test it\n" in shown
    assert f"\n{PLAN}" in shown.replace("> [x]", "[x]")


def test_context_tells_what_fills_the_window_by_part(start: Start, mm: Mm) -> None:
    terminal = start(tool_call("bash", {"command": "seq 50"}), text("Done."), options=("--yolo",))
    say(terminal, "Count.", "Done.")
    shown = say(terminal, "/context", "free")
    assert re.search(r"About [\d,]+ of 4,096 tokens are taken \(\d+%; /props\)", shown)
    # It is a table, not the text of one.
    assert "|" not in shown
    rows = {
        match[1].strip(): int(match[2].replace(",", ""))
        for match in re.finditer(r"^(.+?)  +([\d,]+) +\d+%$", shown, re.MULTILINE)
    }
    assert set(rows) >= {"system prompt", "tool bash", "questions", "calls", "tool outputs", "free"}
    assert sum(rows.values()) == pytest.approx(4096, abs=len(rows))


def test_compact_makes_room_and_says_how_much(start: Start, mm: Mm) -> None:
    summary = text("The user counted things, and all was well.")
    questions = [(f"Question {n}: " + "many words " * 20, f"Answer {n}.") for n in range(4)]
    terminal = start(*(text(answer) for _, answer in questions), summary, text("Last."))
    for question, answer in questions:
        say(terminal, question, answer)
    shown = say(terminal, "/compact", "became")
    assert re.search(r"about [\d,]+ tokens became [\d,]+", " ".join(shown.split()))
    say(terminal, "And now?", "Last.")
    assert "The user counted things" in str(mm.server.chat_requests[-1].json["messages"])
    assert not [question for question in asked(mm) if question.startswith("Question 0")]


def test_quit_ends_with_the_session_on_disk(start: Start, mm: Mm) -> None:
    terminal = start(text("One."))
    say(terminal, "The first.", "One.")
    terminal.ask("/quit")
    assert terminal.end() == 0
    (session,) = (mm.cwd / ".mm/sessions").glob("*.jsonl")
    again = start(options=("--resume", session.stem))
    assert "(1 question so far; the last one:)" in again.text
    assert "> The first." in again.text


def test_a_command_of_a_plugin_answers_in_markdown(start: Start, mm: Mm, tmp_path: Path) -> None:
    source = """
from minime_core import hookimpl
from minime_core.frontends import SlashCommand

async def greet(session, rest):
    return f"Hello **{rest}**\\x1b[2J"

@hookimpl
def mm_slash_commands():
    return SlashCommand(name="greet", summary="say hello", run=greet)
"""
    assert mm.site is not None
    mm.site.install("greeter", source)
    env: dict[str, Any] = {"PYTHONPATH": str(mm.site.folder)}
    terminal = start(env=env)
    assert "Hello you␛[2J" in say(terminal, "/greet you", "Hello")
    assert "/greet     say hello" in say(terminal, "/help", "/greet")
