"""Where modules lie: folders of the user, of the project, named ones, and what is shipped."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Literal

from minime_core import paths
from minime_core.bundled import bundled

Origin = Literal["named", "project", "user", "shipped"]
VARIABLE = "MM_WASM"
"""Environment variable with more folders, separated as in PATH."""
MAX_ENTRIES = 1_000
"""Most entries of one folder that are looked at."""
_NAME = re.compile("[0-9A-Za-z][0-9A-Za-z_-]{0,39}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Module:
    """A file that may be a module.

    name: the file's name without `.wasm`; the tools' names begin with it.
    path: absolute, as it was found.
    """

    name: str
    path: Path
    origin: Origin

    @property
    def sidecar(self) -> Path:
        """Where the file with its permissions is, if it has one."""
        return self.path.with_suffix(".yaml")

    @property
    def key(self) -> str:
        """What it is remembered by: shipped ones by name, since they move with each upgrade."""
        return f"shipped:{self.name}" if self.origin == "shipped" else str(self.path)

    @property
    def has_usable_name(self) -> bool:
        return _NAME.fullmatch(self.name) is not None


def folders(named: Iterable[str], cwd: Path) -> list[tuple[Origin, Path]]:
    """Return the folders in the order in which their modules win over others of the same name.

    named: folders from the settings, relative to `cwd`; those of `MM_WASM` are added.
    """
    more = [*named, *filter(None, os.environ.get(VARIABLE, "").split(os.pathsep))]
    return [
        *(("named", cwd / os.path.expanduser(folder)) for folder in more),
        ("project", cwd / paths.PROJECT_FOLDER / "tools"),
        ("user", paths.config_folder() / "tools"),
        ("shipped", bundled("wasm_tools")),
    ]


def cache_folder() -> Path:
    """Return where compiled modules are kept, which are machine code that is run."""
    import platformdirs

    return platformdirs.user_cache_path(paths.APP) / "wasm"


def find(places: Iterable[tuple[Origin, Path]]) -> Iterator[Module]:
    """Yield `NAME.wasm` and `NAME/NAME.wasm` of each folder, by name."""
    for origin, folder in places:
        for path in sorted(_candidates(folder)):
            yield Module(name=path.name.removesuffix(".wasm"), path=path, origin=origin)


def _candidates(folder: Path) -> Iterator[Path]:
    try:
        with os.scandir(folder) as entries:
            for entry in islice(entries, MAX_ENTRIES):
                path = folder / entry.name
                if entry.name.endswith(".wasm"):
                    yield path
                elif entry.is_dir():
                    inside = path / f"{entry.name}.wasm"
                    if inside.exists():
                        yield inside
    except OSError:
        # Most of the folders are not there, which is nothing to speak of.
        return
