"""What a module is allowed, as the user approved it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from minime_core.tools import Effect

Mode = Literal["ro", "rw"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Folder:
    """A folder that a module sees.

    host: the real one, absolute and without links.
    guest: its name inside the module.
    """

    host: str
    guest: str
    mode: Mode = "ro"


@dataclass(frozen=True, slots=True, kw_only=True)
class Grants:
    """Everything beyond computing. The default is nothing at all.

    hosts: patterns of addresses, see `addresses.Pattern`.
    config: values that the module may ask for by name.
    secrets: names of such values, and the environment variables that hold them.
    """

    hosts: tuple[str, ...] = ()
    folders: tuple[Folder, ...] = ()
    config: Mapping[str, str] = field(default_factory=dict)
    secrets: Mapping[str, str] = field(default_factory=dict)

    @property
    def effects(self) -> frozenset[Effect]:
        """What a call does to the world; nothing for a module that can only compute."""
        effects: set[Effect] = {"network"} if self.hosts else set()
        for folder in self.folders:
            effects |= {"read", "write"} if folder.mode == "rw" else {"read"}
        return frozenset(effects)


def real_folder(host: str, beside: Path) -> str:
    """Return the folder `host`, relative to `beside`, without links. Raises ValueError."""
    path = os.path.realpath(beside / os.path.expanduser(host))
    if not os.path.isdir(path):
        raise ValueError(f"{path} is no folder")
    return path


def secret_values(grants: Grants) -> dict[str, str]:
    """Return the values of the secrets by name. Raises ValueError for a missing variable."""
    values = {}
    for name, variable in grants.secrets.items():
        if not (value := os.environ.get(variable)):
            raise ValueError(f"the user has to set the environment variable {variable}")
        values[name] = value
    return values
