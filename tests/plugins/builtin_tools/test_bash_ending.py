"""Commands that take too long, are cancelled, or leave something behind: nothing survives."""

from __future__ import annotations

import asyncio
import os
import re
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from minime_builtin_tools.shell import ending, running, table
from minime_core.tools import ToolResult
from tool_caller import Caller

FOREVER = "tail -f /dev/null"
ONCE_UP = f"sh -c 'echo up > up; exec {FOREVER}'"
"""The same, once it has told through a pipe that it runs."""


def is_running(pid: int) -> bool:
    try:
        stat = Path("/proc", str(pid), "stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"


class Processes:
    """Processes that a test's commands have told the numbers of, one in each file or pipe."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._seen: set[int] = set()

    def __getitem__(self, name: str) -> int:
        pid = int((self._folder / name).read_text())
        self._seen.add(pid)
        return pid

    def pipe(self, name: str) -> None:
        os.mkfifo(self._folder / name)

    async def started(self, name: str) -> int:
        """Wait for a number in a pipe."""
        return await asyncio.to_thread(self.__getitem__, name)

    def kill(self) -> None:
        for pid in self._seen:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


@pytest.fixture
def processes(tools: Caller) -> Iterator[Processes]:
    found = Processes(tools.folder)
    yield found
    found.kill()


@pytest.fixture(params=["as it is", "without pidfd", "without /proc"])
def platform(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """What other systems lack."""
    if request.param == "without pidfd":
        monkeypatch.delattr(os, "pidfd_open", raising=False)
    elif request.param == "without /proc":
        monkeypatch.setattr(table, "HAS_PROC", False)


@pytest.mark.sample(3)
@pytest.mark.usefixtures("platform")
def test_a_command_that_takes_too_long_is_ended_with_all_it_started(
    tools: Caller, processes: Processes
) -> None:
    command = (
        f"echo begin; {FOREVER} & echo $! > job; "
        f"bash -c 'echo $$ > group; exec timeout 900 {FOREVER}'"
    )
    result = tools("bash", command=command, timeout=0.5)
    assert result.text == (
        "begin\n[bash: ended after 0.5 s, with all it had started. Run something shorter, give it "
        "a longer `timeout` (at most 600), or start it in the background: nohup CMD > log 2>&1 &]"
    )
    assert not result.ok
    assert not is_running(processes["job"])
    assert not is_running(processes["group"])


def test_what_ignores_the_polite_signal_is_killed(
    tools: Caller, processes: Processes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ending, "GRACE", 0.1)
    command = "trap '' TERM; echo $$ > shell; while :; do sleep 0.01; done"
    result = tools("bash", command=command, timeout=0.3)
    assert "[bash: ended after 0." in result.text
    assert not is_running(processes["shell"])


def test_a_polite_command_can_tidy_up(tools: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ending, "GRACE", 60.0)
    command = f"trap 'echo tidied; exit 1' TERM; {FOREVER} & wait"
    assert tools("bash", command=command, timeout=0.3).text.startswith("tidied\n")


def test_a_stopped_process_is_ended_too(tools: Caller, processes: Processes) -> None:
    result = tools("bash", command="echo $$ > shell; kill -STOP $$", timeout=0.3)
    assert "[bash: ended after 0." in result.text
    assert not is_running(processes["shell"])


def test_the_maximum_bounds_what_the_model_asks_for(tools: Caller) -> None:
    tools.configure(builtin_tools={"bash_timeout": 1, "bash_max_timeout": 1})
    result = tools("bash", command=FOREVER, timeout=10_000)
    assert result.text == (
        "[bash: ended after 1 s, with all it had started. Run something shorter, or start it in "
        "the background: nohup CMD > log 2>&1 &; no output]"
    )


@pytest.mark.parametrize("timeout", [0, -5])
def test_a_senseless_timeout_is_the_usual_one(tools: Caller, timeout: float) -> None:
    assert tools("bash", command="echo hi", timeout=timeout).ok


@pytest.mark.usefixtures("platform")
def test_cancelling_ends_the_command_with_all_it_started(
    tools: Caller, processes: Processes
) -> None:
    processes.pipe("job")

    async def run() -> None:
        command = f"{FOREVER} & echo $! > job; {FOREVER}"
        call = asyncio.ensure_future(tools.run("bash", command=command))
        job = await processes.started("job")
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert not is_running(job)

    tools.wait(run())


def test_cancelling_twice_leaves_nothing_either(tools: Caller, processes: Processes) -> None:
    processes.pipe("shell")

    async def run() -> None:
        command = "trap '' TERM; echo $$ > shell; while :; do sleep 0.01; done"
        call = asyncio.ensure_future(tools.run("bash", command=command))
        shell = await processes.started("shell")
        call.cancel()
        await asyncio.sleep(0)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert not is_running(shell)

    tools.wait(run())


def test_processes_that_multiply_are_all_ended(tools: Caller, processes: Processes) -> None:
    tools.put(
        "multiply",
        "echo $$ >> pids\n"
        f"[ $1 = 0 ] && exec {FOREVER}\n"
        "bash multiply $(($1 - 1)) & bash multiply $(($1 - 1)) & wait\n",
    )
    # While they are ended, others are still to come.
    result = tools("bash", command="bash multiply 6", timeout=0.1)
    assert "[bash: ended after 0.1 s" in result.text
    pids = [int(line) for line in (tools.folder / "pids").read_text().split()]
    assert not [pid for pid in pids if is_running(pid)]


# When the session ends


@pytest.mark.usefixtures("platform")
def test_a_job_in_the_background_outlives_its_command_and_not_the_session(
    tools: Caller, processes: Processes
) -> None:
    tools("bash", command=f"{FOREVER} > log 2>&1 & echo $! > job")
    assert is_running(processes["job"])
    assert tools.end() == []
    assert not is_running(processes["job"])


@pytest.mark.usefixtures("platform")
@pytest.mark.parametrize(
    "command",
    [
        f"nohup {ONCE_UP} > log 2>&1 & echo $! > job",
        f"setsid {ONCE_UP} > log 2>&1 & echo $! > job",
        f"{ONCE_UP} & disown; echo $! > job",
    ],
)
def test_a_job_that_was_asked_to_stay_stays_and_is_named(
    tools: Caller, processes: Processes, command: str
) -> None:
    processes.pipe("up")
    # Before `nohup` or `setsid` has become the program, nobody can know that it was asked to stay.
    tools("bash", command=f"{command}; read up < up")
    job = processes["job"]
    (said,) = tools.end()
    # It may still be on its way from that shell to the program.
    assert re.fullmatch(rf"left running: {job} \(.*{FOREVER}.*\); `kill NUMBER` ends one", said)
    assert is_running(job)


def test_a_service_that_leaves_its_session_by_itself_stays_and_is_named(
    tools: Caller, processes: Processes
) -> None:
    service = (
        "import os\n"
        "os.setsid()\n"
        "pipe = open('pipe', 'w')  # closed by the exec, which ends what `cat` reads\n"
        "print(os.getpid(), file=pipe, flush=True)\n"
        f"os.execvp('tail', {FOREVER.split()})"
    )
    tools.put("service.py", service)
    processes.pipe("pipe")
    tools("bash", command="python3 service.py & cat pipe > number")
    (said,) = tools.end()
    assert said.startswith("left running: ")
    assert FOREVER in said
    assert is_running(processes["number"])


def test_many_jobs_are_named_in_one_line(tools: Caller, processes: Processes) -> None:
    processes.pipe("up")
    command = (
        f"for n in $(seq 12); do nohup {ONCE_UP} > /dev/null 2>&1 & echo $! > $n; done; "
        "exec 3<> up; for n in $(seq 12); do read up <&3; done"
    )
    tools("bash", command=command)
    for number in range(1, 13):
        assert is_running(processes[str(number)])
    (said,) = tools.end()
    assert said.endswith(" and 2 more; `kill NUMBER` ends one")
    assert "\n" not in said


def test_jobs_of_another_session_are_none_of_ours(
    tools: Caller, processes: Processes, tmp_path: Path
) -> None:
    other = Caller(tools.folder)
    other("bash", command=f"{FOREVER} & echo $! > job")
    tools("bash", command="true")
    assert tools.end() == []
    assert is_running(processes["job"])
    other.end()


def test_a_process_that_cannot_be_asked_does_no_harm() -> None:
    with suppress(ProcessLookupError):
        assert table.session_of(2**22 + 1) is None
    assert table.command_line(2**22 + 1) == ""


def test_a_shell_of_a_closed_loop_is_not_left_alone(tools: Caller, processes: Processes) -> None:
    processes.pipe("shell")

    async def run() -> int:
        call: asyncio.Future[ToolResult] = asyncio.ensure_future(
            tools.run("bash", command=f"echo $$ > shell; {FOREVER}")
        )
        pid = await processes.started("shell")
        assert not call.done()
        return pid

    # The loop cancels what is left when it closes.
    assert not is_running(tools.wait(run()))


def test_waiting_costs_no_thread_and_no_polling_where_the_system_has_pidfds(
    tools: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: object) -> None:
        raise AssertionError

    monkeypatch.setattr(running, "_poll_exit", fail)
    assert tools("bash", command="echo hi").ok
