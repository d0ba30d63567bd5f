"""Processes: started when they are needed, ended when they are not, never left behind."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import module_folder
from minime_wasm_host.frames import HEADER, MAX_HEAD, Kind
from minime_wasm_host.line import Broken, Line
from module_folder import Home, workers
from module_text import Text, export, saying

LOOP = "(loop (br 0)) (i32.const 0)"
MM = [sys.executable, "-c", "from minime_core.cli.main import main; main()"]


def looping(home: Home, **limits: int) -> None:
    data = Text(fine="fine").build(export("loop", LOOP), export("fine", "(call $say {fine})"))
    home.add("it", data, {"limits": limits, "tools": [{"name": "loop"}, {"name": "fine"}]})


def ended(pid: int) -> int:
    """Return a descriptor that can be read once the process has ended."""
    try:
        return os.pidfd_open(pid)
    except ProcessLookupError:
        reading, writing = os.pipe()
        os.close(writing)
        return reading


def wait_until_gone(pid: int) -> None:
    descriptor = ended(pid)
    assert select.select([descriptor], [], [], 30)[0], f"process {pid} is still there"
    os.close(descriptor)


def test_a_worker_starts_with_the_first_call_and_stays(home: Home) -> None:
    home.add("it", saying("hi"))
    assert list(home.offered()) == ["it__run"]
    assert workers() == set()
    home.call("it__run")
    first = home.pid("it")
    home.call("it__run")
    assert home.pid("it") == first
    assert workers() == {first}


def test_where_compiled_modules_cannot_be_kept_a_call_works_all_the_same(home: Home) -> None:
    (home.folder / ".cache").write_text("no folder")
    home.add("it", saying("fine"))
    assert home.call("it__run").text.endswith("\nfine")


def test_each_module_has_a_worker_of_its_own(home: Home) -> None:
    for name in ("a", "b"):
        home.add(name, saying("hi"))
        home.call(f"{name}__run")
    assert workers() == {home.pid("a"), home.pid("b")}


def test_the_end_of_a_session_ends_its_workers(home: Home) -> None:
    home.add("it", saying("hi"))
    home.call("it__run")
    home.end()
    assert workers() == set()


@pytest.mark.full
def test_a_worker_without_calls_ends(home: Home) -> None:
    home.add("it", saying("hi"))
    home.settings["idle"] = 1
    home.call("it__run")
    pid = home.pid("it")
    assert pid is not None

    descriptor = ended(pid)

    async def wait() -> None:
        gone = asyncio.Event()
        asyncio.get_running_loop().add_reader(descriptor, gone.set)
        await asyncio.wait_for(gone.wait(), 30)
        asyncio.get_running_loop().remove_reader(descriptor)

    home.run(wait())
    os.close(descriptor)
    assert home.call("it__run").ok


def test_a_cancelled_call_ends_its_worker(home: Home) -> None:
    looping(home)
    home.call("it__fine")
    pid = home.pid("it")
    assert pid is not None

    async def cancel() -> None:
        call = asyncio.ensure_future(home.calling("it__loop"))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        call.cancel()
        await asyncio.wait([call])
        assert call.cancelled()

    home.run(cancel())
    wait_until_gone(pid)
    assert home.call("it__fine").text.endswith("\nfine")


@pytest.mark.parametrize("steps", [1, 2, 3, 4, 6])
def test_a_call_that_is_cancelled_early_leaves_nothing(home: Home, steps: int) -> None:
    looping(home)

    async def cancel() -> None:
        call = asyncio.ensure_future(home.calling("it__fine"))
        for _ in range(steps):
            await asyncio.sleep(0)
        call.cancel()
        await asyncio.wait([call])

    home.run(cancel())
    assert workers() == set()
    assert home.call("it__fine").ok


def test_a_worker_that_somebody_killed_is_replaced(home: Home) -> None:
    home.add("it", saying("hi"))
    home.call("it__run")
    pid = home.pid("it")
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    assert home.call("it__run").text == (
        "[it__run: failed: it crashed (SIGKILL). Try other arguments, or do without it]"
    )
    assert home.call("it__run").ok


def test_an_interrupt_of_the_terminal_does_not_reach_workers(home: Home) -> None:
    home.add("it", saying("hi"))
    home.call("it__run")
    pid = home.pid("it")
    assert pid is not None
    assert os.getsid(pid) == pid != os.getsid(0)


SCRIPT = """
import sys
sys.path.insert(0, {folder!r})
from pathlib import Path
from module_folder import Home
home = Home(Path({home!r}), is_new=False)
home.call("it__fine")
print(home.pid("it"), flush=True)
home.call({tool!r})
sys.stdin.read()
"""


@pytest.mark.parametrize("tool", ["it__fine", "it__loop"], ids=["idle", "busy"])
def test_no_worker_outlives_a_program_that_is_killed(home: Home, tool: str) -> None:
    looping(home, timeout_ms=600_000)
    folder = str(Path(module_folder.__file__).parent)
    script = SCRIPT.format(folder=folder, home=str(home.folder), tool=tool)
    program = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True
    )
    with program:
        assert program.stdout is not None
        pid = int(program.stdout.readline())
        assert Path(f"/proc/{pid}").exists()
        program.kill()
    wait_until_gone(pid)


# The line, when the other side is not what it should be.


def received(*pieces: bytes, limit: int = MAX_HEAD) -> list[tuple[int, bytes, bytes]]:
    """Return the frames that come out of what goes in, until the line ends or is broken."""

    async def frames() -> list[tuple[int, bytes, bytes]]:
        line = Line()
        line.limit = limit
        for piece in pieces:
            view = memoryview(piece)
            while view:
                buffer = line.get_buffer(0)
                size = min(len(buffer), len(view))
                buffer[:size] = view[:size]
                line.buffer_updated(size)
                view = view[size:]
        line.connection_lost(None)
        found = []
        try:
            while True:
                kind, head, body = await line.receive()
                found.append((kind, head, bytes(body)))
        except Broken:
            return found

    return asyncio.run(frames())


def frame(kind: int, head: bytes = b"", body: bytes = b"") -> bytes:
    return HEADER.pack(kind, len(head), len(body)) + head + body


@pytest.mark.parametrize("size", [1, 2, 7, 1000, 65_535, 65_536, 70_000, 1 << 20])
def test_frames_arrive_whole_however_they_are_cut(size: int) -> None:
    sent = [
        (Kind.LOG, b"", b"x"),
        (Kind.ASK, b"head", b""),
        (Kind.OUTPUT, b"", b"y" * (65_536 - 9)),
        (Kind.OUTPUT, b"h" * 70_000, b"z" * 100_000),
        (Kind.READY, b"", b""),
    ]
    stream = b"".join(frame(*one) for one in sent)
    if size < 1000:
        stream = b"".join(frame(*one) for one in (sent[0], sent[1], sent[4]))
        sent = [sent[0], sent[1], sent[4]]
    pieces = [stream[at : at + size] for at in range(0, len(stream), size)]
    assert received(*pieces) == sent


@pytest.mark.parametrize("lengths", [(MAX_HEAD + 1, 0), (0, 1001), (0xFFFFFFFF, 0xFFFFFFFF)])
def test_a_frame_of_impossible_size_breaks_the_line(lengths: tuple[int, int]) -> None:
    good = frame(Kind.LOG, b"", b"x")
    assert received(good, HEADER.pack(1, *lengths), good, limit=1000) == [(Kind.LOG, b"", b"x")]


def test_a_flood_of_frames_breaks_the_line() -> None:
    assert len(received(frame(Kind.LOG) * 5_000)) < 2_000
