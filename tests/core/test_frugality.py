"""A question starts no process, sends no request and syncs no file that it does not need."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from minime_core.testing import Mm, Site, text, tool_call
from minime_core.testing.command import TIMEOUT

RECORDER = """
import json, os, sys

STARTS = {"subprocess.Popen", "os.posix_spawn", "os.fork", "os.forkpty", "os.exec", "os.system"}
file = os.open(os.environ["RECORD"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)

def note(event, what):
    os.write(file, json.dumps([os.getpid(), event, what]).encode() + b"\\n")

def hook(event, arguments):
    if event in STARTS:
        note("start", event)
    elif event == "socket.connect" and isinstance(arguments[1], tuple):
        note("connect", arguments[1][1])
    elif event == "socket.getaddrinfo":
        note("look up", arguments[0])

def counted(name):
    sync = getattr(os, name)
    def count(descriptor):
        note("sync", name)
        return sync(descriptor)
    setattr(os, name, count)

for name in ("fsync", "fdatasync"):
    counted(name)
sys.addaudithook(hook)
"""
"""A `sitecustomize` that writes down what a process does. The shell's own are not Python's."""

Recorded = Callable[..., list[tuple[str, object]]]


@pytest.fixture
def recorded(mm: Mm, mm_site: Site, tmp_path: Path) -> Recorded:
    """A function that asks a question, and returns what mm did for it."""
    (mm_site.folder / "sitecustomize.py").write_text(RECORDER)
    record = tmp_path / "record"

    def ask(*options: str) -> list[tuple[str, object]]:
        process = mm.start(*options, "-p", "hello", env={"RECORD": str(record)})
        out, err = process.communicate(timeout=TIMEOUT)
        assert process.returncode == 0, err
        assert out
        lines = [json.loads(line) for line in record.read_text().splitlines()]
        record.unlink()
        # What a tool runs is not of this process.
        return [(event, what) for pid, event, what in lines if pid == process.pid]

    return ask


def port(mm: Mm) -> int:
    return int(mm.server.url.rpartition(":")[2])


def paths(mm: Mm) -> list[str]:
    return [f"{request.method} {request.path}" for request in mm.server.requests]


def test_an_answer_takes_one_connection_and_one_sync_and_no_process(
    mm: Mm, recorded: Recorded
) -> None:
    mm.server.enqueue(text("Hello."))
    assert recorded() == [("connect", port(mm)), ("sync", "fsync")]
    # Window and chat template have to be known before anything is sent; once is enough.
    assert paths(mm) == ["GET /props", "POST /v1/chat/completions"]


def test_a_command_is_the_only_process(mm: Mm, recorded: Recorded) -> None:
    mm.server.enqueue(
        tool_call("bash", {"command": "echo one"}),
        tool_call("read_file", {"path": "settings.yaml"}),
        text("Done."),
    )
    (mm.cwd / "settings.yaml").write_text("max_turns: 5\n")
    did = recorded("--yolo")
    assert [what for event, what in did if event == "connect"] == [port(mm)]
    assert len([what for event, what in did if event == "start"]) == 1
    assert [what for event, what in did if event == "sync"] == ["fsync"]
    assert paths(mm)[1:] == ["POST /v1/chat/completions"] * 3


def test_a_session_is_little_more_than_its_last_request(mm: Mm) -> None:
    mm.server.enqueue(
        *[tool_call("bash", {"command": f"seq {n} {n + 200}"}) for n in range(8)], text("Done.")
    )
    (mm.cwd / "settings.yaml").write_text("context_window: 32768\n")
    assert mm.run("--yolo", "--config", "settings.yaml", "-p", "count")[0] == 0
    (session,) = mm.cwd.glob(".mm/sessions/*.jsonl")
    assert session.stat().st_size <= 1.5 * len(mm.server.chat_requests[-1].body)
