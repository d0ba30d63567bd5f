"""The file beside a module that says what it may do: `NAME.yaml` beside `NAME.wasm`.

Without one a module may compute and nothing else.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, ClassVar, Literal

from minime_core import paths
from minime_core.config import read_yaml
from minime_core.errors import ConfigError
from minime_wasm_host.addresses import Pattern
from minime_wasm_host.approval import file_digest
from minime_wasm_host.grants import Folder, Grants, Mode, real_folder
from minime_wasm_host.limits import Limits
from minime_wasm_host.places import cache_folder
from minime_wasm_host.refusal import Refused

_UNKNOWN = ("unexpected_keyword_argument", "extra_forbidden")
"""What pydantic calls a key that is not declared."""
_STRICT: dict[str, Any] = {"extra": "forbid"}


@dataclass(frozen=True, kw_only=True)
class PathGrant:
    """A folder of the user that the module sees as `guest`."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT

    host: str
    guest: str
    mode: Mode = "ro"


@dataclass(frozen=True, kw_only=True)
class Secret:
    """A value that is read from an environment variable."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT

    env: str


@dataclass(frozen=True, kw_only=True)
class Permissions:
    """What the module may do, as it is written."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT

    hosts: Sequence[str] = ()
    paths: Sequence[PathGrant] = ()
    config: Mapping[str, str] = field(default_factory=dict)
    secrets: Mapping[str, Secret] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class ToolEntry:
    """A tool of the module: which one the model gets, and what it is told of it.

    name: as the module calls it; of a function that describes nothing, the name that it gets.
    rename: the whole name for the model, in place of `<module>__<name>`.
    description: in place of the module's own.
    function: the exported function, where the module describes nothing.
    input: what that function is given: `json`, the arguments as an object, or `arg:NAME`, the text
        of one argument.
    input_schema: JSON schema of its arguments.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT

    name: str
    rename: str = ""
    description: str = ""
    function: str = ""
    input: str = "json"
    input_schema: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Sidecar:
    """A whole sidecar."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT

    version: Literal[1] = 1
    permissions: Permissions = field(default_factory=Permissions)
    limits: Limits = field(default_factory=Limits)
    tools: Sequence[ToolEntry] = ()


_PARTS: Mapping[tuple[str, ...], type[Any]] = {
    (): Sidecar,
    ("permissions",): Permissions,
    ("permissions", "paths"): PathGrant,
    ("permissions", "secrets"): Secret,
    ("limits",): Limits,
    ("tools",): ToolEntry,
}


def read_sidecar(path: Path) -> tuple[Sidecar, str]:
    """Return what a sidecar says, and the SHA-256 of the file in hex. Raises Refused."""
    digest = file_digest(path)
    try:
        values = read_yaml(path)
    except ConfigError as error:
        raise Refused(str(error)) from error
    if file_digest(path) != digest:
        raise Refused(f"{path} changed while it was read; try again")
    return _validated(values, path), digest


def _validated(values: Mapping[str, Any], path: Path) -> Sidecar:
    from pydantic import TypeAdapter, ValidationError

    try:
        sidecar = TypeAdapter(Sidecar).validate_python(values)
    except ValidationError as error:
        # A key that is missing may be one that is misspelt.
        first = min(error.errors(), key=lambda fault: fault["type"] not in _UNKNOWN)
        raise Refused(f"{path}: {_fault(first)}") from error
    for entry in sidecar.tools:
        if not re.fullmatch(r"json|arg:.+", entry.input):
            raise Refused(f"{path}: the input of {entry.name} is neither json nor arg:NAME")
    return sidecar


def _fault(error: Mapping[str, Any]) -> str:
    where = [str(part) for part in error["loc"]]
    names = tuple(part for part in where if not part.isdigit())
    if error["type"] in _UNKNOWN:
        part = _PARTS.get(names[:-1]) or _PARTS.get(names[:2]) or Sidecar
        known = [one.name for one in fields(part)]
        near = difflib.get_close_matches(names[-1], known, n=1)
        hint = f"did you mean {near[0]}?" if near else f"it can be {', '.join(known)}"
        if names == ("sha256",):
            hint = "trust is kept in your own state folder: `mm tools trust`"
        return f"unknown key {'.'.join(where)}; {hint}"
    message = error["msg"].removeprefix("Value error, ").removeprefix("Input should be ")
    if error["type"] == "string_type":
        message = "text; put it in quotes"
    said = "" if error["type"] == "value_error" else "it has to be "
    if error["type"] == "missing":
        return f"{'.'.join(where)} is missing"
    return f"{'.'.join(where)}: {said}{message}"


def approved_grants(permissions: Permissions, path: Path) -> Grants:
    """Return the grants that `permissions` of the sidecar at `path` ask for. Raises Refused."""
    try:
        for host in permissions.hosts:
            Pattern.parse(host)
        return Grants(
            hosts=tuple(permissions.hosts),
            folders=tuple(_folder(grant, path.parent) for grant in permissions.paths),
            config=dict(permissions.config),
            secrets={name: secret.env for name, secret in permissions.secrets.items()},
        )
    except ValueError as error:
        raise Refused(f"{path}: permissions: {error}") from error


def _folder(grant: PathGrant, beside: Path) -> Folder:
    host = real_folder(grant.host, beside)
    if not re.fullmatch("(?:/[^/]+)+", grant.guest) or ".." in grant.guest.split("/"):
        raise ValueError(f"guest is {grant.guest!r}; it has to be a path such as /data")
    if host.startswith("ro:"):
        raise ValueError(f"{host} cannot be granted under that name")
    if grant.mode == "rw" and _is_ours(host):
        raise ValueError(f"{host} holds what you trust; grant another folder")
    return Folder(host=host, guest=grant.guest, mode=grant.mode)


def _is_ours(host: str) -> bool:
    """Return whether a folder holds settings, trust or compiled modules, which are believed.

    A folder inside of the settings' one may be granted: modules of the user lie there.
    """
    inner = [os.path.realpath(folder) for folder in (paths.state_folder(), cache_folder())]
    outer = [*inner, os.path.realpath(paths.config_folder())]
    return any(_is_in(folder, host) for folder in outer) or any(
        _is_in(host, folder) for folder in inner
    )


def _is_in(path: str, folder: str) -> bool:
    return os.path.commonpath([path, folder]) == folder
