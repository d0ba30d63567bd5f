"""What the user trusted: a module and its sidecar as they were, and what is to be known of them."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from minime_wasm_host.contract import Contract
from minime_wasm_host.grants import Grants
from minime_wasm_host.limits import Limits
from minime_wasm_host.refusal import Refused

MAX_MODULE = 16 << 20
"""Most bytes of a module."""
MAX_SIDECAR = 1 << 18
"""Most bytes of a sidecar."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamp:
    """How a file is recognised: by size and time without reading it, for certain by its SHA-256.

    sha256: in hex.
    mtime_ns: nanoseconds; 0 for a shipped file, whose time is that of the installation.
    """

    sha256: str
    size: int
    mtime_ns: int = 0

    def fits(self, path: Path) -> bool:
        """Return whether the file looks the same, without reading it."""
        try:
            found = path.stat()
        except OSError:
            return False
        return found.st_size == self.size and self.mtime_ns in (0, found.st_mtime_ns)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stub:
    """A host function that answers with nothing: its name and its types, such as `i64`."""

    name: str
    params: tuple[str, ...]
    results: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovedTool:
    """A tool as it was described when the user trusted the module.

    name: for the model.
    inner: as the module calls it.
    function, input: see `sidecar.ToolEntry`; empty when the module has a contract of its own.
    """

    name: str
    inner: str
    description: str
    schema: Mapping[str, Any]
    function: str = ""
    input: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """All that is needed to offer and to run a module. The files are not asked again.

    sidecar: None when there was none.
    """

    module: Stamp
    sidecar: Stamp | None = None
    contract: Contract = "mcp"
    wasi: bool = False
    stubs: tuple[Stub, ...] = ()
    tools: tuple[ApprovedTool, ...] = ()
    grants: Grants = field(default_factory=Grants)
    limits: Limits = field(default_factory=Limits)


def read_module(path: Path) -> tuple[bytes, Stamp]:
    """Return the bytes of a module, and its stamp. Raises Refused."""
    try:
        data, found = _read(path, MAX_MODULE)
    except OSError as error:
        raise Refused(f"it cannot be read: {error.strerror}") from error
    if len(data) > MAX_MODULE:
        raise Refused(f"it is larger than {MAX_MODULE >> 20} MB")
    digest = hashlib.sha256(data).hexdigest()
    return data, Stamp(sha256=digest, size=len(data), mtime_ns=found.st_mtime_ns)


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a sidecar in hex. Raises Refused."""
    try:
        data, _ = _read(path, MAX_SIDECAR)
    except OSError as error:
        raise Refused(f"cannot read {path}: {error.strerror}") from error
    if len(data) > MAX_SIDECAR:
        raise Refused(f"{path} is larger than {MAX_SIDECAR >> 10} KB")
    return hashlib.sha256(data).hexdigest()


def sidecar_stamp(path: Path) -> Stamp | None:
    """Return the stamp of a sidecar, None when there is none. Raises Refused."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Refused(f"cannot read {path}: {error.strerror}") from error
    return Stamp(sha256=file_digest(path), size=found.st_size, mtime_ns=found.st_mtime_ns)


def _read(path: Path, most: int) -> tuple[bytes, os.stat_result]:
    """Return what a regular file holds, and one byte more than `most` of a larger one."""
    with open(path, "rb", opener=_open_at_once) as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, "it is no file")
        return file.read(most + 1), found


def _open_at_once(path: str, flags: int) -> int:
    # A pipe would keep us waiting for its writer.
    return os.open(path, flags | os.O_NONBLOCK)
