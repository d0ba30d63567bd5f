"""What a worker is told before it loads its module."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Self


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One module and its limits, in the units that they are enforced in.

    sha256: in hex; another file at `path` is not loaded.
    stubs: name, types of parameters and of results of host functions that answer with nothing.
    config: values that the module may ask for, secrets among them.
    folders: real paths, `ro:` before them unless they may be written, and their names inside.
    pages: pages of 64 KiB of the module's memory.
    """

    path: str
    sha256: str
    wasi: bool
    stubs: Sequence[tuple[str, Sequence[str], Sequence[str]]]
    config: Mapping[str, str]
    folders: Mapping[str, str]
    pages: int
    output_bytes: int
    http_bytes: int
    worker_bytes: int
    file_bytes: int
    fresh: bool

    def encode(self) -> bytes:
        return json.dumps(asdict(self)).encode()

    @classmethod
    def decode(cls, data: bytes) -> Self:
        return cls(**json.loads(data))
