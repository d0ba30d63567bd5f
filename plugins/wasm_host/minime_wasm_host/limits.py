"""What a module may use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar

MAX_LOG_LINES = 200
"""Lines of a call's log that are shown."""
MAX_LOG_LINE = 1_000
"""Bytes of a log line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits of one module; a sidecar may set each of them.

    timeout_ms: milliseconds of a call, requests over HTTP included.
    load_ms: milliseconds until the module is compiled and ready.
    memory_mb: MiB of the module's own memory.
    worker_mb: MiB of the whole process, tables and compiled code included.
    output_kb: KiB that a call returns.
    http_kb: KiB of a request's or answer's body.
    file_mb: MiB of a file that the module writes.
    fresh: whether each call begins with an instance that remembers nothing.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid"}

    timeout_ms: int = 10_000
    load_ms: int = 60_000
    memory_mb: int = 64
    worker_mb: int = 512
    output_kb: int = 256
    http_kb: int = 1_024
    file_mb: int = 16
    fresh: bool = False

    def __post_init__(self) -> None:
        for limit in fields(self):
            value = getattr(self, limit.name)
            if limit.name != "fresh" and not 1 <= value <= MAXIMA.get(limit.name, 4_096):
                most = MAXIMA.get(limit.name, 4_096)
                raise ValueError(f"{limit.name} is {value}; it can be 1 to {most}")


MAXIMA = {"timeout_ms": 600_000, "load_ms": 600_000, "output_kb": 65_536, "http_kb": 65_536}
"""Largest values; 4096 for all others."""

UNENFORCED: Mapping[str, Sequence[str]] = {"darwin": ("worker_mb",)}
"""Limits that the system does not hold a process to, by `sys.platform`."""
