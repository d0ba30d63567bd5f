"""The pages about the library: their programs run, and they name all there is."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import minime
from minime_core.testing.http1 import Request
from minime_core.testing.replies import text, tool_call
from minime_core.testing.steps import Reply
from real_agent import RealAgent

SDK = Path(minime.__file__).parents[1]
DOCS = SDK.parent / "docs"
GUIDE = DOCS / "how-to/use-from-python.md"


def programs(page: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)


PROGRAMS = [*programs(GUIDE), *programs(SDK / "README.md")]


def respond(request: Request) -> Reply:
    """Answer as a model would that does what the pages ask for."""
    last = request.json["messages"][-1]
    if last["role"] == "tool":
        return text(f"So: {last['content']}")
    if "notes.txt" in last["content"]:
        return tool_call("write_file", {"path": "notes.txt", "content": "a line\n"})
    if "milk" in last["content"]:
        return tool_call("client_add_todo", {"text": "milk"})
    return text("An answer.")


# Each starts an agent: a quick run has two.
CHOSEN = [
    pytest.param(program, marks=pytest.mark.full if number else (), id=str(number))
    for number, program in enumerate(PROGRAMS)
]


@pytest.mark.parametrize("program", CHOSEN)
def test_a_program_runs_as_it_is_shown(real: RealAgent, program: str) -> None:
    real.server.respond = respond
    (real.cwd / "agent.yaml").write_text("policy: ask\n")
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**real.variables, "PYTHONPATH": str(SDK)},
        cwd=real.cwd,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    expected = ["An answer."]
    if "on_permission=ask" in program:
        expected = ["write_file: notes.txt", "So: "]
        assert (real.cwd / "notes.txt").read_text() == "a line\n"
    elif "add_todo" in program:
        expected = ["['milk']"]
    elif "timeout=2" in program:
        expected = ["end_turn 10", "An answer."]
    for words in expected:
        assert words in done.stdout


def test_the_reference_names_everything() -> None:
    page = (DOCS / "reference/sdk.md").read_text()
    names = {name for name in minime.__all__ if name not in ("sync", "tool", "start")}
    assert {name for name in names if f"`{name}" not in page} == set()
    for option in inspect.signature(minime.start).parameters:
        assert f"| `{option}` |" in page
    for method in ("complete", "stream", "cancel", "reset", "close"):
        assert f"agent.{method}(" in page
