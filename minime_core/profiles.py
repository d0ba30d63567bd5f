"""Model profiles: what is known of a family of models, as settings.

A profile is a YAML file with `match` (patterns on model names), `extends` (another profile) and any
settings; it is the config layer right above the defaults. Every profile extends `default`.
"""

from __future__ import annotations

import difflib
import fnmatch
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from minime_core.config import Layer, read_yaml
from minime_core.errors import ConfigError
from minime_core.trust import without_guarded

DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Profile:
    """A profile and those that it extends, the most general first."""

    name: str
    layers: tuple[Layer, ...]
    why: str = ""


class Profiles:
    """The profile files, by name; a later one replaces an earlier one of the same name.

    paths: trusted files, and folders of them that need not exist.
    project: a folder whose profiles may not set guarded settings or `sections` of plugins.
    """

    def __init__(
        self, paths: Iterable[Path], project: Path | None = None, sections: Collection[str] = ()
    ) -> None:
        files = [f for path in paths for f in (sorted(path.glob("*.yaml")) or [path])]
        self._paths = {path.stem: path for path in files if path.suffix == ".yaml"}
        self._sections = sections
        self._guarded = {p.stem: p for p in sorted(project.glob("*.yaml"))} if project else {}
        self._paths.update(self._guarded)
        self._read: dict[str, Mapping[str, Any]] = {}

    def names(self) -> list[str]:
        return sorted(self._paths)

    def path(self, name: str) -> Path:
        """Return the file of a profile. Raises ConfigError with the nearest name."""
        if name not in self._paths:
            near = difflib.get_close_matches(name, self._paths, n=1)
            hint = f"did you mean {near[0]}?" if near else "`mm profiles list` shows them"
            raise ConfigError(f"there is no profile {name!r}; {hint}")
        return self._paths[name]

    def values(self, name: str) -> Mapping[str, Any]:
        """Return what the file of a profile says, `match` and `extends` included."""
        if name not in self._read:
            self._read[name] = read_yaml(self.path(name))
        return self._read[name]

    def load(self, name: str, why: str = "") -> Profile:
        """Return a profile with all that it extends. Raises ConfigError, for a cycle too."""
        chain: list[str] = []
        current = name
        while current:
            if current in chain:
                raise ConfigError(
                    f"profiles extend each other in a circle: {' -> '.join([*chain, current])}"
                )
            chain.append(current)
            parent = self.values(current).get("extends", "" if current == DEFAULT else DEFAULT)
            if not isinstance(parent, str):
                raise ConfigError(f"{self.path(current)}: extends has to be the name of a profile")
            current = parent
        return Profile(name, tuple(self._layer(link) for link in reversed(chain)), why)

    def match(self, model: str) -> str | None:
        """Return the name of the profile whose pattern fits `model` best, None when none does.

        Case is ignored; the longest pattern wins, then the first name.
        """
        best: tuple[int, str] | None = None
        for name in self.names():
            for pattern in self.patterns(name):
                if fnmatch.fnmatchcase(model.lower(), pattern.lower()):
                    if best is None or len(pattern) > best[0]:
                        best = (len(pattern), name)
        return best[1] if best else None

    def patterns(self, name: str) -> list[str]:
        """Return the patterns of model names that a profile is for."""
        patterns = self.values(name).get("match", [])
        if isinstance(patterns, str):
            patterns = [patterns]
        if not isinstance(patterns, list) or not all(isinstance(p, str) for p in patterns):
            raise ConfigError(f"{self.path(name)}: match has to be a list of patterns")
        return patterns

    def _layer(self, name: str) -> Layer:
        meta = ("match", "extends", "summary")
        values = {key: v for key, v in self.values(name).items() if key not in meta}
        if name in self._guarded:
            values, _ = without_guarded(values, self._sections)
        return Layer(f"profile {name}", values)
