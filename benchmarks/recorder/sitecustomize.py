"""Note each process that Python starts and each fsync, as a line of the file `BENCHMARK_RECORD`.

Python imports this at its start when the folder is in PYTHONPATH.
"""

from __future__ import annotations

import _posixsubprocess
import os
from collections.abc import Callable
from types import ModuleType
from typing import Any

WATCHED: dict[str, list[tuple[ModuleType, str]]] = {
    "process": [
        (_posixsubprocess, "fork_exec"),
        (os, "fork"),
        (os, "forkpty"),
        (os, "posix_spawn"),
        (os, "posix_spawnp"),
        (os, "system"),
    ],
    "fsync": [(os, "fsync"), (os, "fdatasync")],
}

_record = os.open(os.environ["BENCHMARK_RECORD"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)


def _noting(label: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def noted(*arguments: Any, **named: Any) -> Any:
        os.write(_record, f"{label}\n".encode())
        return function(*arguments, **named)

    return noted


for _label, _functions in WATCHED.items():
    for _module, _name in _functions:
        if hasattr(_module, _name):  # macOS has no fdatasync
            setattr(_module, _name, _noting(_label, getattr(_module, _name)))
