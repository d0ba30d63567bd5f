"""The commands of the tutorial, line by line, in a project with a model that follows a script."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest

from minime_core.testing import Mm, Reply, text, tool_call
from minime_core.testing.http1 import Request

PAGE = Path(__file__).parents[2] / "docs" / "tutorial" / "first-steps.md"


def respond(request: Request) -> Reply:
    last = (request.json or {})["messages"][-1]
    if last["role"] == "user" and "hello.txt" in last["content"]:
        return tool_call("write_file", {"path": "hello.txt", "content": "Hello.\n"})
    return text("An answer.")


@pytest.mark.full
def test_every_command_works_as_it_is_shown(mm: Mm) -> None:
    subprocess.run(["git", "init", "-q"], cwd=mm.cwd, check=True)
    (mm.cwd / "README.md").write_text("# A project\n")
    settings = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(), re.DOTALL)[0]
    (mm.cwd / ".mm").mkdir(exist_ok=True)
    (mm.cwd / ".mm" / "config.yaml").write_text(settings)
    mm.server.respond = respond
    made = []
    for line in PAGE.read_text().splitlines():
        if line.startswith("    "):
            piped, _, command = line.strip().rpartition("| ")
            program, *arguments = shlex.split(command)
            assert program == "mm"
            done = mm.run(*arguments, input=b"a change" if piped else None)
            assert done.code == 0, (line, done)
            made.append((mm.cwd / "hello.txt").exists())
    # Not before it was allowed.
    assert made[:3] == [False, False, True]
