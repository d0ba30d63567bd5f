"""`mm acp` as a process: how it starts, what it prints, how it ends with all that it started."""

from __future__ import annotations

import json
import os
import select
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from acp_process import AcpProcess
from minime_acp import command, leftovers, lines
from minime_core.testing.command import TIMEOUT, Mm
from minime_core.testing.replies import stall, text, tool_call

ORPHANS = {
    "child": "(exec 9>{fifo}; echo >&9; exec sleep 3600) &",
    "own session": "setsid sh -c 'exec 9>{fifo}; echo >&9; exec sleep 3600' &",
    "deaf": "(trap '' TERM HUP INT; exec 9>{fifo}; echo >&9; while :; do sleep 3600; done) &",
    "nohup": "nohup sh -c 'exec 9>{fifo}; echo >&9; exec sleep 3600' >/dev/null 2>&1 &",
    "orphan": "(setsid sh -c 'exec 9>{fifo}; echo >&9; exec sleep 3600' &) ;",
}
"""Processes that would outlive the agent. Each holds the pipe open, and says so once."""


@pytest.mark.sample(2)
@pytest.mark.parametrize("spelling", ["-acp -config {}", "--config {} acp"])
def test_it_starts_as_existing_clients_start_it(mm: Mm, tmp_path: Path, spelling: str) -> None:
    config = tmp_path / "agent.yaml"
    config.write_text(
        f"provider: llamacpp\nbaseUrl: {mm.server.base_url}\nmodel: mine\nyolo: true\n"
        "acp: {clientTools: {enabled: true, discovery: meta}}\n"
    )
    mm.options = []
    mm.server.respond = text("Yes.")
    with AcpProcess(mm, *spelling.format(config).split()) as agent:
        session = agent.open(mm.cwd)
        answer = agent.answer(agent.begin_prompt(session, "hi"))
        assert answer["stopReason"] == "end_turn"
        assert agent.end()[0] == 0
    assert mm.server.chat_requests[0].json["model"] == "mine"


def test_stdout_is_for_messages_alone(mm: Mm, tmp_path: Path) -> None:
    assert mm.site is not None
    mm.site.install("chatty", CHATTY)
    mm.server.enqueue(
        tool_call("chat", {}),
        tool_call("bash", {"command": "cat; echo child > /dev/fd/1; echo child >&2"}),
        text("Done."),
    )
    with AcpProcess(mm, "--yolo", "acp") as agent:
        session = agent.open(mm.cwd)
        agent.answer(agent.begin_prompt(session, "make noise"))
        code, rest = agent.end()
        assert code == 0
        for line in rest:
            json.loads(line)
        assert agent.process.stderr is not None
        printed = agent.process.stderr.read().decode()
    for words in (
        "at import",
        "written at import",
        "by a session",
        "print in a tool",
        "write in a tool",
        "of a child",
    ):
        assert words in printed


CHATTY = """
import os, subprocess, sys
from minime_core import hookimpl
from minime_core.tools import tool

print("noise at import", flush=True)
os.write(1, b"noise written at import\\n")

@hookimpl
def mm_session_start(session):
    print("noise by a session")

def chat() -> str:
    "Make noise."
    print("noise print in a tool", flush=True)
    os.write(1, b"noise write in a tool\\n")
    subprocess.run([sys.executable, "-c", "print('noise of a child')"])
    assert sys.stdin.read() == ""
    return "done"

@hookimpl
def mm_register_tools():
    return [tool(effects=frozenset())(chat)]
"""


def test_a_start_that_fails_says_so_on_stderr_alone(mm: Mm, tmp_path: Path) -> None:
    code, out, err = mm.run("--config", str(tmp_path / "none.yaml"), "acp")
    assert (code, out) == (2, "")
    assert "none.yaml" in err


@contextmanager
def held_open(fifo: Path, count: int) -> Iterator[int]:
    """Wait until `count` processes hold the pipe open; check in the end that none does."""
    with open(fifo, "rb", buffering=0) as reader:
        for _ in range(count):
            assert reader.read(1) == b"\n"
        yield reader.fileno()
        ready, _, _ = select.select([reader], [], [], TIMEOUT)
        # The end of a pipe comes when the last process that had it open is gone.
        assert ready
        assert reader.read(1) == b""


def run_orphans(agent: AcpProcess, mm: Mm, fifo: Path) -> int:
    """Have a command run that starts them all and does not end; return the prompt's number."""
    os.mkfifo(fifo)
    started = " ".join(line.format(fifo=fifo) for line in ORPHANS.values())
    mm.server.enqueue(tool_call("bash", {"command": f"{started} sleep 3600"}))
    return agent.begin_prompt(agent.open(mm.cwd), "run it")


def close_stdin(agent: AcpProcess) -> None:
    assert agent.process.stdin is not None
    agent.process.stdin.close()


def stop_reading(agent: AcpProcess) -> None:
    """Leave as a client does that crashes."""
    assert agent.process.stdout is not None
    agent.process.stdout.close()
    close_stdin(agent)


@pytest.mark.parametrize(
    "leave",
    [
        close_stdin,
        pytest.param(stop_reading, marks=pytest.mark.full),
        pytest.param(
            lambda agent: agent.process.send_signal(signal.SIGTERM), marks=pytest.mark.full
        ),
    ],
    ids=["end of input", "nobody reads", "SIGTERM"],
)
def test_when_the_client_leaves_nothing_stays_behind(
    mm: Mm, tmp_path: Path, leave: Callable[[AcpProcess], Any]
) -> None:
    with AcpProcess(mm, "--yolo", "acp") as agent:
        run_orphans(agent, mm, tmp_path / "fifo")
        with held_open(tmp_path / "fifo", len(ORPHANS)):
            leave(agent)
            agent.process.wait(TIMEOUT)


def test_what_ending_may_take_is_less_than_two_seconds() -> None:
    # The call for the end comes with the end of the input, in a thread of its own; whatever is not
    # done by then ends by force.
    assert command.LAST_CALL + leftovers.GRACE < 1.8
    assert lines.FLUSH_TIME < command.LAST_CALL


@pytest.mark.full
def test_a_cancelled_command_leaves_nothing_behind(mm: Mm, tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    kinds = ("child", "deaf")
    started = " ".join(ORPHANS[kind].format(fifo=fifo) for kind in kinds)
    mm.server.enqueue(tool_call("bash", {"command": f"{started} sleep 3600"}))
    with AcpProcess(mm, "--yolo", "acp") as agent:
        session = agent.open(mm.cwd)
        number = agent.begin_prompt(session, "run it")
        with held_open(fifo, len(kinds)):
            agent.send(method="session/cancel", params={"sessionId": session})
            assert agent.answer(number)["stopReason"] == "cancelled"


@pytest.mark.full
def test_it_ends_while_the_model_is_silent(mm: Mm) -> None:
    mm.server.enqueue(text("Once ") + stall())
    with AcpProcess(mm) as agent:
        agent.begin_prompt(agent.open(mm.cwd), "a story")
        agent.until("agent_message_chunk")
        assert agent.end()[0] == 0


@pytest.mark.full
def test_it_ends_when_nothing_was_said(mm: Mm) -> None:
    with AcpProcess(mm) as agent:
        assert agent.end() == (0, [])
