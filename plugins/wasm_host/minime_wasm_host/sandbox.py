"""A module that can be called: its worker is started when it is needed and replaced when it dies.

All limits of time are kept here, outside of the worker: Extism's own holds neither while a module
is loaded nor while it waits for something.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable

from minime_shared.cleaning import one_line
from minime_wasm_host.approval import Approval, sidecar_stamp
from minime_wasm_host.grants import Grants, secret_values
from minime_wasm_host.http_requests import Requests
from minime_wasm_host.job import Job
from minime_wasm_host.limits import MAX_LOG_LINE
from minime_wasm_host.places import Module
from minime_wasm_host.process import GuestFailed, Worker, WorkerDied
from minime_wasm_host.refusal import Refused

SLOW_LOAD = 1.0
"""Seconds of loading after which the user is told why they wait."""
MAX_CAUSE = 500
"""Most characters of an error's text that the model sees."""


MIN_SECRET = 4
"""Fewest characters of a secret that can be told from other text."""


class CallFailed(Exception):
    """A call brought no output; the text says why, and what to do about it."""


class Sandbox:
    """One module of a session.

    idle: seconds without a call after which the worker is ended.
    """

    def __init__(self, module: Module, approval: Approval, *, idle: float) -> None:
        self._module = module
        self._approval = approval
        self._limits = approval.limits
        self._idle = idle
        self._lock = asyncio.Lock()
        self._worker: Worker | None = None
        self._secrets: dict[str, str] = {}
        self._used = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._closing: asyncio.Task[None] | None = None

    @property
    def pid(self) -> int | None:
        """The worker's process, None while there is none."""
        return self._worker.pid if self._worker else None

    async def call(self, function: str, data: bytes, show: Callable[[str], None]) -> bytearray:
        """Return what a function of the module returns.

        show: shows text to the user while the call runs. Raises CallFailed.
        """
        async with self._lock:
            try:
                worker = self._worker or await self._load(show)
                return await self._call(worker, function, data, show)
            finally:
                self._used = asyncio.get_running_loop().time()
                if self._timer is None and self._worker is not None:
                    self._wait_for_idle(self._idle)

    async def close(self) -> None:
        """End the worker."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        worker, self._worker = self._worker, None
        if worker is not None:
            await worker.stop()

    def hide_secrets(self, text: str) -> str:
        """Return `text` without the values of secrets."""
        for name, value in self._secrets.items():
            if len(value) >= MIN_SECRET:
                text = text.replace(value, f"({name})")
        return text

    async def _load(self, show: Callable[[str], None]) -> Worker:
        job = self._job()
        seconds = self._limits.load_ms / 1000
        loop = asyncio.get_running_loop()
        until = loop.time() + seconds
        answer = Requests(Grants(), self._limits, until).answer
        try:
            self._worker = worker = await Worker.start()
        except OSError as error:
            raise CallFailed(f"its worker cannot be started: {error.strerror}") from error
        timers = [
            loop.call_at(until, worker.kill),
            loop.call_later(SLOW_LOAD, show, f"{self._module.name}: compiling it\n"),
        ]
        try:
            await worker.load(job, self._logger(show), answer)
        except WorkerDied as died:
            await self.close()
            cause = f"{died}"
            if worker.was_killed:
                cause = f"it took longer than {seconds:g} s, which is limits.load_ms"
            raise CallFailed(f"the module cannot be loaded: {cause}. Do without it") from died
        except GuestFailed as failed:
            await self.close()
            raise CallFailed(self._not_loaded(str(failed))) from failed
        except BaseException:
            await asyncio.shield(self.close())
            raise
        finally:
            for timer in timers:
                timer.cancel()
        return worker

    async def _call(
        self, worker: Worker, function: str, data: bytes, show: Callable[[str], None]
    ) -> bytearray:
        seconds = self._limits.timeout_ms / 1000
        loop = asyncio.get_running_loop()
        until = loop.time() + seconds
        answer = Requests(self._approval.grants, self._limits, until).answer
        timer = loop.call_at(until, worker.kill)
        try:
            return await worker.call(function, data, self._logger(show), answer)
        except GuestFailed as failed:
            raise CallFailed(self._cause(failed)) from failed
        except WorkerDied as died:
            await self.close()
            cause, cure = str(died), "Try other arguments"
            if worker.was_killed:
                cause, cure = f"it took longer than {seconds:g} s and was ended", "Ask for less"
            raise CallFailed(f"{cause}. {cure}, or do without it") from died
        except BaseException:
            # The turn is cancelled: nothing else stops a module in the middle of its work.
            await asyncio.shield(self.close())
            raise
        finally:
            timer.cancel()

    def _wait_for_idle(self, seconds: float) -> None:
        self._timer = asyncio.get_running_loop().call_later(seconds, self._when_idle)

    def _when_idle(self) -> None:
        unused = asyncio.get_running_loop().time() - self._used
        self._timer = None
        if unused < self._idle or self._lock.locked():
            self._wait_for_idle(max(self._idle - unused, 1))
        else:
            self._closing = asyncio.ensure_future(self.close())

    def _job(self) -> Job:
        """Return what the worker is told. Raises CallFailed when it may not run any more."""
        approval, limits = self._approval, self._limits
        try:
            now = sidecar_stamp(self._module.sidecar)
        except Refused as refused:
            raise CallFailed(str(refused)) from refused
        if (now and now.sha256) != (approval.sidecar and approval.sidecar.sha256):
            raise CallFailed(_changed(self._module))
        try:
            self._secrets = secret_values(approval.grants)
        except ValueError as error:
            raise CallFailed(f"{error} before this tool can be used") from error
        return Job(
            path=str(self._module.path.resolve()),
            sha256=approval.module.sha256,
            wasi=approval.wasi,
            stubs=[(stub.name, stub.params, stub.results) for stub in approval.stubs],
            config={**approval.grants.config, **self._secrets},
            folders={
                ("" if folder.mode == "rw" else "ro:") + folder.host: folder.guest
                for folder in approval.grants.folders
            },
            pages=limits.memory_mb * 16,
            output_bytes=limits.output_kb << 10,
            http_bytes=limits.http_kb << 10,
            worker_bytes=limits.worker_mb << 20,
            file_bytes=limits.file_mb << 20,
            fresh=limits.fresh,
        )

    def _logger(self, show: Callable[[str], None]) -> Callable[[str], None]:
        def log(line: str) -> None:
            show(f"{self._module.name}: {one_line(self.hide_secrets(line), MAX_LOG_LINE)}\n")

        return log

    def _not_loaded(self, text: str) -> str:
        if "Hash mismatch" in text:
            return _changed(self._module)
        cause = re.sub(r"^Unable to (?:compile|create) Extism plugin: ", "", text)
        return f"the module cannot be loaded: {self._shown(cause)}. Do without it"

    def _cause(self, failed: GuestFailed) -> str:
        text = str(failed)
        if text == "oom":
            size = self._limits.memory_mb
            text = f"it needs more memory than {size} MB, which is limits.memory_mb. Ask for less"
        if text.startswith("it crashed"):
            text += ". Try other arguments, or do without it"
        return self._shown(text)

    def _shown(self, text: str) -> str:
        return one_line(self.hide_secrets(text), MAX_CAUSE).rstrip(".")


def _changed(module: Module) -> str:
    return (
        "the module or its sidecar changed since the user trusted it, so it does not run. Tell the "
        f"user to look at it and run `mm tools trust {module.name}`; do without it"
    )
