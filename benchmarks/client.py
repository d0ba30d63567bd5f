"""`mm` as a user starts it, in a home of its own."""

from __future__ import annotations

import os
import subprocess
import sysconfig
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from measure import RunFailed, cpu_seconds, settled_cpu_seconds, wait
from minime_core.testing.gate import Gate

PATIENCE = 60.0
"""Seconds after which an `mm` that does not go on is given up."""


class Running:
    """A started `mm`."""

    def __init__(self, process: subprocess.Popen[bytes], out: Path, err: Path) -> None:
        self._process = process
        self._out = out
        self._err = err

    def cpu_seconds(self) -> float:
        return cpu_seconds(self._process.pid)

    def settled_cpu_seconds(self) -> float:
        """Return the CPU seconds used, once it waits for something."""
        return settled_cpu_seconds(self._process.pid)

    def reach(self, gate: Gate) -> None:
        """Wait until its answer has come to `gate`. Raises RunFailed when it ends before."""
        while not gate.wait_reached(0.1):
            if self._process.poll() is not None:
                raise self._failure()

    def kill(self) -> None:
        self._process.kill()
        wait(self._process)

    def finish(self, answer: str) -> float:
        """Wait for the end; return the CPU seconds, those of shells that it ran included.

        Raises RunFailed when it fails or does not print `answer` at the end.
        """
        watchdog = threading.Timer(PATIENCE, self._process.kill)
        watchdog.start()
        seconds = wait(self._process)
        watchdog.cancel()
        if self._process.returncode != 0 or not _text(self._out).endswith(answer):
            raise self._failure()
        return seconds

    def _failure(self) -> RunFailed:
        said = _text(self._err) or _text(self._out)
        return RunFailed(f"mm ended with {self._process.returncode}: {said[-300:]}")


def _text(file: Path) -> str:
    return file.read_text("utf-8", "replace").strip()


class Client:
    """The `mm` of this interpreter's environment, with an empty home that goes when it is left.

    work: the folder that it works in.
    """

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="mm-")
        self._home = Path(self._folder.name, "home")
        self.work = Path(self._folder.name, "work")
        self._home.mkdir()
        self.work.mkdir()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        self._folder.cleanup()

    @property
    def environment(self) -> dict[str, str]:
        """The variables that it gets: nothing of the user's settings, nothing of Python's."""
        kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
        return {**kept, "HOME": str(self._home)}

    def command(self, base_url: str, *arguments: str) -> list[str]:
        """Return the command line for the server at `base_url`."""
        mm = Path(sysconfig.get_path("scripts"), "mm")
        return [str(mm), "--base-url", base_url, "--model", "benchmark", *arguments]

    def start(
        self, base_url: str, *arguments: str, environment: Mapping[str, str] | None = None
    ) -> Running:
        """Start it without a terminal, one at a time."""
        out, err = (Path(self._folder.name, name) for name in ("stdout", "stderr"))
        with out.open("wb") as out_file, err.open("wb") as err_file:
            process = subprocess.Popen(
                self.command(base_url, *arguments),
                cwd=self.work,
                env={**self.environment, **(environment or {})},
                stdin=subprocess.DEVNULL,
                stdout=out_file,
                stderr=err_file,
            )
        return Running(process, out, err)

    def session_files(self) -> list[Path]:
        """Return the session files that it has written, oldest first."""
        return sorted(self._home.rglob("*.jsonl"))
