"""What calls of WASM tools cost, beside the least that each way of calling can cost."""

from __future__ import annotations

import asyncio
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import mcp_echo
from client import Client
from figures import Figure
from measure import cpu_seconds
from minime_core.tools import ToolContext
from minime_wasm_host.approval import Approval, ApprovedTool
from minime_wasm_host.frames import HEADER, Kind, pack
from minime_wasm_host.limits import Limits
from minime_wasm_host.module_tools import end_workers, tools_of
from minime_wasm_host.places import Module
from minime_wasm_host.sandbox import Sandbox
from minime_wasm_host.speaking import call_request
from minime_wasm_host.trusting import look_at

WARM, LARGE = 300, 15
"""Calls whose median counts, of 1 KB and of 1 MB."""
KILOBYTE, MEGABYTE = "spam ham " * 111, "spam ham " * 111_111

ECHO = """(module
  (import "extism:host/env" "input_offset" (func $offset (result i64)))
  (import "extism:host/env" "input_length" (func $length (result i64)))
  (import "extism:host/env" "output_set" (func $output (param i64 i64)))
  (memory (export "memory") 1)
  (func (export "describe") (result i32) unreachable)
  (func (export "call") (result i32)
    (call $output (call $offset) (call $length)) (i32.const 0)))"""
BARE = """
import socket, struct, sys
line = socket.socket(fileno=int(sys.argv[1])).makefile("rwb")
header = struct.Struct(">BII")
while start := line.read(header.size):
    line.write(start + line.read(header.unpack(start)[2]))
    line.flush()
"""
Call = Callable[[], Awaitable[None]]
ECHO_SCHEMA = {
    "type": "object",
    "properties": {"text": {"type": "string"}},
    "required": ["text"],
    "additionalProperties": False,
}

FIGURES = (
    Figure(key="turns", title="WASM call of 1 KB over an echo, in turns", unit="ratio", limit=3),
    Figure(key="row", title="the same, each many times in a row", unit="ratio"),
    Figure(key="mcp_row", title="WASM call over an MCP one, in a row", unit="ratio", limit=0.1),
    Figure(key="mcp_turns", title="the same, in turns", unit="ratio"),
    Figure(key="large", title="1 MB through WASM over Extism inside", unit="ratio", limit=3),
    Figure(key="load", title="worker with a module compiled before", unit="ms", limit=200),
)


def sample(client: Client) -> dict[str, float]:
    """Return ratios of wall times in one run, and the CPU seconds of a load."""
    with tempfile.TemporaryDirectory(prefix="mm-") as folder, _on_one_processor():
        module = Module(name="echo", path=Path(folder, "echo.wasm"), origin="named")
        module.path.write_bytes(_compiled(ECHO))
        return asyncio.run(_measured(module, client.work))


@contextmanager
def _on_one_processor() -> Iterator[None]:
    """Keep this process and those that it starts on one processor.

    Otherwise what is measured is how long it takes to wake another one.
    """
    if sys.platform != "linux":
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def _compiled(text: str) -> bytes:
    import wasmtime

    return bytes(wasmtime.wat2wasm(text))


async def _measured(module: Module, work: Path) -> dict[str, float]:
    tool = ApprovedTool(name="echo", inner="echo", description="", schema=ECHO_SCHEMA)
    approval = replace(
        look_at(module).approval, limits=Limits(output_kb=2048), contract="mcp", tools=(tool,)
    )
    _, request = call_request("mcp", tool, {"text": KILOBYTE})
    return {
        **await _small(module, approval, work, request),
        "large": await _large(module, approval),
        "load": await _load(module, approval),
    }


async def _ratio(times: int, call: Call, other: Call) -> float:
    """Return the median time of a call over that of the other one, which take turns.

    The first ones do not count.
    """
    seconds: list[list[float]] = [[], []]
    for _ in range(times + times // 5):
        for taken, one in zip(seconds, (call, other), strict=True):
            start = time.perf_counter()
            await one()
            taken.append(time.perf_counter() - start)
    ours, theirs = (statistics.median(taken[times // 5 :]) for taken in seconds)
    return ours / theirs


async def _median(times: int, call: Call) -> float:
    """Return the median seconds of a call, many times in a row."""
    seconds = []
    for _ in range(times + times // 5):
        start = time.perf_counter()
        await call()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds[times // 5 :])


async def _small(
    module: Module, approval: Approval, work: Path, request: bytes
) -> dict[str, float]:
    """Compare a call through the tool with an echo, and with a call over MCP.

    A call in a row finds its own code in the caches of the processor; a call in turns does not.
    """
    context = ToolContext(cwd=work, max_output=16_000, emit=print)
    (tool,) = tools_of(module, approval, 60)
    arguments = {"text": KILOBYTE}

    async def call() -> None:
        assert KILOBYTE in (await tool.run(arguments, context)).text

    async with mcp_echo.connected() as ask:
        bare = await _Bare.start()

        async def echo() -> None:
            await bare.call(request)

        async def stdio() -> None:
            await ask(KILOBYTE)

        try:
            alone = await _median(WARM, call)
            return {
                "turns": await _ratio(WARM, call, echo),
                "row": alone / await _median(WARM, echo),
                "mcp_row": alone / await _median(WARM, stdio),
                "mcp_turns": await _ratio(WARM, call, stdio),
            }
        finally:
            await bare.stop()
            if (ending := end_workers(context.stash)) is not None:
                await ending


class _Bare:
    """A process that sends each frame back and does nothing else.

    Its line is a pair of sockets too, here behind the streams of asyncio.
    """

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        self._process = process
        self._from, self._to = reader, writer

    @classmethod
    async def start(cls) -> _Bare:
        ours, process = _start_echo()
        return cls(process, *await asyncio.open_connection(sock=ours))

    async def call(self, data: bytes) -> None:
        self._to.write(pack(Kind.CALL, b"", len(data)) + data)
        await self._to.drain()
        _, _, size = HEADER.unpack(await self._from.readexactly(HEADER.size))
        await self._from.readexactly(size)

    async def stop(self) -> None:
        self._to.close()
        await self._to.wait_closed()
        self._process.wait()


def _start_echo() -> tuple[socket.socket, subprocess.Popen[bytes]]:
    ours, theirs = socket.socketpair()
    with theirs:
        command = [sys.executable, "-c", BARE, str(theirs.fileno())]
        return ours, subprocess.Popen(command, pass_fds=[theirs.fileno()])


async def _large(module: Module, approval: Approval) -> float:
    """Compare a megabyte to the module and back with that in Extism inside of this process."""
    from extism import Plugin

    sandbox = Sandbox(module, approval, idle=60)
    data = MEGABYTE.encode()

    async def through() -> None:
        assert len(await sandbox.call("call", data, print)) == len(data)

    try:
        with Plugin({"wasm": [{"path": str(module.path)}]}, functions=[]) as plugin:

            async def inside() -> None:
                assert len(plugin.call("call", data)) == len(data)

            return await _ratio(LARGE, through, inside)
    finally:
        await sandbox.close()


async def _load(module: Module, approval: Approval) -> float:
    """Return the CPU seconds, here and there, until a worker has answered its first call."""
    sandbox = Sandbox(module, approval, idle=60)
    before = time.process_time()
    try:
        await sandbox.call("call", b"", print)
        assert sandbox.pid is not None
        return time.process_time() - before + cpu_seconds(sandbox.pid)
    finally:
        await sandbox.close()
