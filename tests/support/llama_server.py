"""A real `llama-server` for tests: started on a free port, always ended with the tests."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import httpx

START_SECONDS = 60.0
POLL_SECONDS = 0.05
REQUEST_SECONDS = 60.0
LOG_TAIL_CHARACTERS = 2000
# The server closes the connection right after a stream, although its headers promise to keep it:
# a request that reuses it may meet the close.
NO_REUSE = httpx.Limits(max_keepalive_connections=0)
LISTENING = re.compile(r"listening on (http://[\d.]+:\d+)")

Found = TypeVar("Found")


@dataclass(frozen=True)
class LlamaFiles:
    """The `llama-server` binary and the .gguf file that it loads."""

    binary: Path
    model: Path


@dataclass(frozen=True)
class LlamaOptions:
    """What a test may vary; two tests with equal options share one server.

    `context` counts tokens and is divided among the slots. `template` replaces the chat template
    of the model. `extra` is appended to the command line as it is.
    """

    template: Path | None = None
    context: int = 4096
    slots: int = 1
    api_key: str | None = None
    extra: tuple[str, ...] = ()

    def arguments(self) -> list[str]:
        """Return the options as arguments of `llama-server`."""
        arguments = ["--ctx-size", str(self.context), "--parallel", str(self.slots), "--slots"]
        if self.template is not None:
            arguments += ["--jinja", "--chat-template-file", str(self.template)]
        if self.api_key is not None:
            arguments += ["--api-key", self.api_key]
        return [*arguments, *self.extra]


@dataclass(frozen=True)
class LlamaServer:
    """A running server; `http` is a client for it that sends the key if there is one."""

    http: httpx.Client
    options: LlamaOptions
    log: Path

    @property
    def base_url(self) -> str:
        """Return the address that an OpenAI-compatible client takes."""
        return str(self.http.base_url.join("/v1"))

    def slots(self) -> list[dict[str, Any]]:
        """Return what `GET /slots` says of each slot.

        `is_processing` is false in an idle slot; `next_token[0].has_next_token` is still true
        there when the last request was cancelled, and false when its answer came to an end.
        """
        slots: list[dict[str, Any]] = self.http.get("/slots").json()
        return slots

    def wait_until_idle(self, seconds: float = 30.0) -> None:
        """Return when no slot is busy, or raise `TimeoutError`.

        A request that is cancelled while its prompt is read ends with the current batch only.
        """
        deadline = time.monotonic() + seconds
        while any(slot["is_processing"] for slot in self.slots()):
            if time.monotonic() > deadline:
                raise TimeoutError(f"a slot is still busy after {seconds} s")


@contextmanager
def running_llama_server(
    files: LlamaFiles, options: LlamaOptions, log: Path
) -> Iterator[LlamaServer]:
    """Start a server, wait until its model is loaded, and kill it on the way out.

    Raises `RuntimeError` with the end of the server's log when it exits or is not ready in time.
    """
    process = _spawn(files, options, log)
    headers = {"Authorization": f"Bearer {options.api_key}"} if options.api_key else {}
    try:
        address = _wait_for(lambda: LISTENING.search(_read(log)), process, log)[1]
        with httpx.Client(
            base_url=address,
            headers=headers,
            timeout=REQUEST_SECONDS,
            trust_env=False,
            limits=NO_REUSE,
        ) as http:
            _wait_for(lambda: http.get("/health").is_success, process, log)
            yield LlamaServer(http, options, log)
    finally:
        _kill(process)


def _spawn(files: LlamaFiles, options: LlamaOptions, log: Path) -> subprocess.Popen[bytes]:
    command = [str(files.binary), "--model", str(files.model), "--offline", "--no-ui"]
    command += ["--host", "127.0.0.1", "--port", "0", "--threads", "2", *options.arguments()]
    if setpriv := shutil.which("setpriv"):  # ends the server even if the tests are killed
        command = [setpriv, "--pdeathsig", "KILL", "--", *command]
    with log.open("wb") as output:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=_environment(),
            start_new_session=True,
        )


def _environment() -> dict[str, str]:
    """Return the environment without the variables that change `llama-server`."""
    return {name: value for name, value in os.environ.items() if not name.startswith("LLAMA_")}


def _wait_for(
    condition: Callable[[], Found | None], process: subprocess.Popen[bytes], log: Path
) -> Found:
    deadline = time.monotonic() + START_SECONDS
    while not (found := condition()):
        if time.monotonic() > deadline or _exited_within(process, POLL_SECONDS):
            state = "is not ready" if process.returncode is None else f"exit {process.returncode}"
            raise RuntimeError(f"llama-server: {state}: {_read(log)[-LOG_TAIL_CHARACTERS:]}")
    return found


def _exited_within(process: subprocess.Popen[bytes], seconds: float) -> bool:
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


def _kill(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _read(log: Path) -> str:
    return log.read_text("utf-8", "replace")
