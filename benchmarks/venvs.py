"""Virtual environments with what `mm` is compared with; made once and kept in the user's cache."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import platformdirs

from measure import RunFailed, wait


def python_with(*pip_arguments: str) -> Path:
    """Return the Python of an environment that holds what pip installs for these arguments alone.

    It is of this interpreter's version. Raises RunFailed when it cannot be made.
    """
    named = hashlib.sha256(repr((sys.version, sys.base_prefix, pip_arguments)).encode())
    folder = platformdirs.user_cache_path("mini-me") / "benchmarks" / named.hexdigest()[:12]
    python, complete = folder / "bin" / "python", folder / "complete"
    if not complete.exists():
        _run([sys.executable, "-m", "venv", "--clear", str(folder)])
        _run([str(python), "-m", "pip", "install", "--quiet", *pip_arguments])
        complete.touch()
    return python


def import_httpx_seconds() -> float:
    """Return the CPU seconds of a Python that imports httpx and ends."""
    command = [str(python_with("httpx")), "-c", "import httpx"]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    seconds = wait(process)
    if process.returncode != 0:
        raise RunFailed(f"{' '.join(command)} failed")
    return seconds


def _run(command: Sequence[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RunFailed(f"{' '.join(command)}: {done.stderr.strip()[-300:]}")
