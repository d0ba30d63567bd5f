"""A module inside of its worker. The one file that imports Extism.

What Extism offers to modules besides computing is replaced: requests over HTTP and lines of a log
go to `mm`, which allows, limits and counts them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from extism.extism import CompiledPlugin, CurrentPlugin, Plugin, ValType, host_fn, set_log_custom

from minime_wasm_host.channel import Channel
from minime_wasm_host.contract import ENVIRONMENT, LOGS, USER
from minime_wasm_host.frames import MAX_HEAD, Data, Kind
from minime_wasm_host.job import Job
from minime_wasm_host.limits import MAX_LOG_LINE, MAX_LOG_LINES

_INFO = 2
"""Extism's number of the log level from which on modules should log."""
_TOO_LARGE = 413
_TYPES = {"i32": ValType.I32, "i64": ValType.I64, "f32": ValType.F32, "f64": ValType.F64}
_CODE = re.compile(r"Error code: (-?\d+)")
_TRAP = re.compile(r"wasm trap: (.+)")


class Guest:
    """The loaded module. Raises whatever Extism raises when it cannot be loaded."""

    def __init__(self, job: Job, channel: Channel) -> None:
        self._job = job
        self._channel = channel
        self._status = 0
        self._headers = b"{}"
        self._lines = 0
        self._runtime_log: list[str] = []
        self._logger = set_log_custom(self._runtime_log.append, "error")
        manifest = {
            "wasm": [{"path": job.path, "hash": job.sha256}],
            "memory": {"max_pages": job.pages},
            "config": job.config,
            "allowed_paths": job.folders,
        }
        self._compiled = CompiledPlugin(manifest, wasi=job.wasi, functions=self._functions())
        self._plugin: Plugin | None = Plugin(self._compiled)

    def call(self, function: str, data: bytes) -> tuple[Kind, bytes, Data]:
        """Call a function; return the frame to answer with."""
        self._lines = 0
        try:
            if self._plugin is None:
                self._plugin = Plugin(self._compiled)
            output = self._plugin.call(function, data, parse=None)
            if len(output) > self._job.output_bytes:
                # Checked before anything is copied: the module may have made the length up.
                raise _TooMuch(len(output))
        except Exception as error:  # Extism raises many kinds; each is told to `mm`
            # What an instance does after a failure cannot be relied on.
            self._plugin = None
            return Kind.FAILED, b"", self.cause(error).encode("utf-8", "replace")
        if self._job.fresh:
            output, self._plugin = bytes(output), None
        return Kind.OUTPUT, b"", output

    def cause(self, error: Exception) -> str:
        """Return what went wrong; of a trap Extism tells the cause in its log alone."""
        self._logger.drain()
        traps = [match[1] for line in self._runtime_log if (match := _TRAP.search(line))]
        self._runtime_log.clear()
        if isinstance(error, UnicodeDecodeError):
            return error.object.decode("utf-8", "replace")
        if isinstance(error, (OverflowError, MemoryError)):
            return "it crashed: its output is at an address that cannot be"
        if str(error).startswith("error while executing"):
            return f"it crashed: {traps[-1]}" if traps else "it crashed"
        if match := _CODE.fullmatch(str(error)):
            return f"it failed with code {match[1]}, and does not say why"
        return str(error) or type(error).__name__

    def _functions(self) -> list[Any]:
        number, nothing = [ValType.I64], list[ValType]()

        def offer(name: str, given: list[ValType], returned: list[ValType], does: Any) -> Any:
            return host_fn(name, ENVIRONMENT, (given, returned))(does)

        return [
            *(offer(name, number, nothing, self._log) for name in LOGS),
            offer("get_log_level", nothing, [ValType.I32], _log_level),
            offer("http_request", [*number, *number], number, self._http_request),
            offer("http_status_code", nothing, [ValType.I32], self._http_status),
            offer("http_headers", nothing, number, self._http_headers),
            *(self._stub(*stub) for stub in self._job.stubs),
        ]

    def _stub(self, name: str, params: Iterable[str], results: Iterable[str]) -> Any:
        def nothing(
            plugin: CurrentPlugin, given: list[Any], returned: list[Any], *more: Any
        ) -> None:
            if self._may_say():
                self._channel.send(Kind.LOG, body=f"{name} is not offered here".encode())

        types = [_TYPES[kind] for kind in params], [_TYPES[kind] for kind in results]
        return host_fn(name, USER, types)(nothing)

    def _log(
        self, plugin: CurrentPlugin, given: list[Any], returned: list[Any], *more: Any
    ) -> None:
        if self._may_say():
            memory = _memory(plugin, given[0].value)
            memory.length = min(memory.length, MAX_LOG_LINE)
            self._channel.send(Kind.LOG, body=plugin.memory(memory)[:])

    def _may_say(self) -> bool:
        self._lines += 1
        if self._lines == MAX_LOG_LINES + 1:
            self._channel.send(Kind.LOG, body=b"(it logs more, which is left out)")
        return self._lines <= MAX_LOG_LINES

    def _http_request(
        self, plugin: CurrentPlugin, given: list[Any], returned: list[Any], *more: Any
    ) -> None:
        head = _read(plugin, given[0].value, MAX_HEAD)
        body = _read(plugin, given[1].value, self._job.http_bytes) if given[1].value else b""
        if head is None or body is None:
            self._status, self._headers = _TOO_LARGE, b"{}"
            answer: Data = b"the request is larger than limits.http_kb in the sidecar"
        else:
            self._channel.send(Kind.ASK, head, body)
            _, about, answer = self._channel.receive()
            told = json.loads(about)
            self._status, self._headers = told["status"], json.dumps(told["headers"]).encode()
        returned[0].value = _write(plugin, answer)

    def _http_status(
        self, plugin: CurrentPlugin, given: list[Any], returned: list[Any], *more: Any
    ) -> None:
        returned[0].value = self._status

    def _http_headers(
        self, plugin: CurrentPlugin, given: list[Any], returned: list[Any], *more: Any
    ) -> None:
        returned[0].value = _write(plugin, self._headers)


class _TooMuch(Exception):
    def __init__(self, size: int) -> None:
        super().__init__(f"it returned {size} bytes, more than limits.output_kb in its sidecar")


def _log_level(plugin: CurrentPlugin, given: list[Any], returned: list[Any], *more: Any) -> None:
    returned[0].value = _INFO


def _memory(plugin: CurrentPlugin, offset: int) -> Any:
    # Offsets are unsigned, Extism hands them over signed.
    return plugin.memory_at_offset(offset & (1 << 64) - 1)


def _read(plugin: CurrentPlugin, offset: int, limit: int) -> bytes | None:
    """Return what the module passes, None when it is longer than `limit` bytes."""
    memory = _memory(plugin, offset)
    return None if memory.length > limit else plugin.memory(memory)[:]


def _write(plugin: CurrentPlugin, data: Data) -> int:
    """Return where the module finds `data`; 0, which is nothing, when it has no room for it."""
    memory = plugin.alloc(len(memoryview(data)))
    if memory.offset:
        plugin.memory(memory)[:] = data
    return int(memory.offset)
