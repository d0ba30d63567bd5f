"""The examples, run as their readers run them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import minime
from minime_core.testing.http1 import Request
from minime_core.testing.replies import stall, text, thinking, tool_call
from minime_core.testing.steps import Reply
from real_agent import RealAgent

EXAMPLES = Path(minime.__file__).parents[1] / "examples"


def printed(real: RealAgent, name: str, *arguments: str) -> str:
    """Run an example to its end, and return what it printed."""
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / name), *arguments],
        env={**real.variables, "PYTHONPATH": str(EXAMPLES.parent)},
        cwd=real.cwd,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.full
def test_complete(real: RealAgent) -> None:
    real.server.enqueue(tool_call("read_file", {"path": "README.md"}), text("Examples."))
    assert printed(real, "complete.py").startswith("Examples.\n[end_turn, ")
    assert "cancel.py" in real.server.chat_requests[-1].json["messages"][-1]["content"]


@pytest.mark.full
def test_stream(real: RealAgent) -> None:
    real.server.enqueue(
        thinking("Hm.") + tool_call("read_file", {"path": "README.md"}), text("There are five.")
    )
    out = printed(real, "stream.py")
    assert "(Hm.)" in out
    assert "> read_file: README.md\n< completed, " in out
    assert out.endswith("There are five.\n[end_turn]\n")


@pytest.mark.full
def test_cancel(real: RealAgent) -> None:
    def respond(request: Request) -> Reply:
        asks_for_story = "story" in request.json["messages"][-1]["content"]
        return text("Once upon a time ") + stall() if asks_for_story else text("42")

    real.server.respond = respond
    # How much of the story comes in that time is not for this test to say.
    assert printed(real, "cancel.py", "0.5").endswith("\n[cancelled]\n42\n[end_turn]\n")


@pytest.mark.full
def test_permission(real: RealAgent) -> None:
    pwd = tool_call("bash", {"command": "pwd"})
    real.server.enqueue(pwd, text("I may not."), pwd, text("It is the folder."))
    assert printed(real, "permission.py").splitlines() == [
        "bash: pwd: reject",
        "I may not.",
        "bash: pwd: allow",
        "It is the folder.",
    ]
    refused, allowed = real.server.chat_requests[1], real.server.chat_requests[3]
    assert "did NOT run" in refused.json["messages"][-1]["content"]
    assert allowed.json["messages"][-1]["content"].startswith(f"{EXAMPLES}\n")


@pytest.mark.full
def test_client_tools(real: RealAgent) -> None:
    real.server.enqueue(
        tool_call("client_add_todo", {"text": "buy milk"}),
        tool_call("client_list_todos", {}),
        text("Only milk."),
    )
    assert printed(real, "client_tools.py").splitlines() == [
        "Only milk.",
        "The list of this program: ['buy milk']",
    ]
    assert real.server.chat_requests[-1].json["messages"][-1]["content"] == "buy milk"


def test_every_example_is_run_here() -> None:
    names = {path.stem for path in EXAMPLES.glob("*.py")}
    assert names == {"complete", "stream", "cancel", "permission", "client_tools"}
    assert {f"test_{name}" for name in names} <= globals().keys()
