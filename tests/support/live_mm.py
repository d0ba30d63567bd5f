"""The real `mm` as a process, in a home and a folder of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SECONDS = 180
"""Limit of one run: a tiny model on a loaded machine."""


@dataclass(frozen=True)
class Outcome:
    """How a run of `mm` ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """Return what `--output json` printed."""
        values: dict[str, Any] = json.loads(self.out)
        return values


class Mm:
    """Runs `mm` in `folder`, with options that each run has."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.folder = folder / "project"
        self._home = folder / "home"
        self._options = options
        self.folder.mkdir()
        self._home.mkdir()

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Start `mm` with what every run has and `arguments`."""
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("MM_", "XDG_"))}
        return subprocess.Popen(
            [
                sys.executable,
                "-c",
                "from minime_core.cli.main import main; main()",
                *self._options,
                *arguments,
            ],
            cwd=self.folder,
            env={**environment, "HOME": str(self._home)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *arguments: str) -> Outcome:
        """Run `mm` to its end."""
        process = self.start(*arguments)
        out, err = process.communicate(timeout=SECONDS)
        return Outcome(process.returncode, out, err)

    def session_file(self, name: str) -> Path:
        """Return where a session of the folder is kept, so that `mm -c` finds it."""
        sessions = self.folder / ".mm" / "sessions"
        sessions.mkdir(parents=True, exist_ok=True)
        return sessions / f"{name}.jsonl"
