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
_META = ("match", "extends", "summary")


@dataclass(frozen=True, slots=True)
class Profile:
    """A profile and those that it extends, the most general first."""

    name: str
    layers: tuple[Layer, ...]
    why: str = ""


class Profiles:
    """The profile files, by name; a later one replaces an earlier one of the same name.

    paths: trusted files, and folders of them that need not exist.
    project: a folder whose profiles may not set guarded settings or `sections` of plugins. One with
        the name of a trusted profile adds to that, so that it cannot undo what is guarded either.
    """

    def __init__(
        self, paths: Iterable[Path], project: Path | None = None, sections: Collection[str] = ()
    ) -> None:
        files = [f for path in paths for f in (sorted(path.glob("*.yaml")) or [path])]
        self._trusted = {path.stem: path for path in files if path.suffix == ".yaml"}
        self._project = {p.stem: p for p in sorted(project.glob("*.yaml"))} if project else {}
        self._sections = sections
        self._read: dict[str, list[Mapping[str, Any]]] = {}

    def names(self) -> list[str]:
        return sorted({*self._trusted, *self._project})

    def values(self, name: str) -> Mapping[str, Any]:
        """Return what the file of a profile says, `match` and `extends` included.

        Raises ConfigError, with the nearest name when there is no such profile.
        """
        return {key: value for layer in self._files(name) for key, value in layer.items()}

    def load(self, name: str, why: str = "") -> Profile:
        """Return a profile with all that it extends. Raises ConfigError, for a circle too."""
        chain: list[str] = []
        current = name
        while current:
            if current in chain:
                circle = " -> ".join([*chain, current])
                raise ConfigError(f"profiles extend each other in a circle: {circle}")
            chain.append(current)
            parent = self.values(current).get("extends", "" if current == DEFAULT else DEFAULT)
            if not isinstance(parent, str):
                raise ConfigError(f"profile {current}: extends has to be the name of a profile")
            current = parent
        layers = [
            Layer(f"profile {link}", {k: v for k, v in values.items() if k not in _META})
            for link in reversed(chain)
            for values in self._files(link)
        ]
        return Profile(name, tuple(layers), why)

    def match(self, model: str) -> str | None:
        """Return the name of the profile whose pattern fits `model` best, None when none does.

        Case is ignored; the longest pattern wins, then the first name.
        """
        fitting = [
            (-len(pattern), name)
            for name in self.names()
            for pattern in self.patterns(name)
            if fnmatch.fnmatchcase(model.lower(), pattern.lower())
        ]
        return min(fitting)[1] if fitting else None

    def patterns(self, name: str) -> list[str]:
        """Return the patterns of model names that a profile is for. Raises ConfigError."""
        patterns = self.values(name).get("match", [])
        if isinstance(patterns, str):
            patterns = [patterns]
        if not isinstance(patterns, list) or not all(isinstance(p, str) for p in patterns):
            raise ConfigError(f"profile {name}: match has to be a list of patterns")
        return patterns

    def _files(self, name: str) -> list[Mapping[str, Any]]:
        """Return what the trusted file and the project's file of a name say, read once."""
        if name not in self._read:
            found: list[Mapping[str, Any]] = []
            if name in self._trusted:
                found.append(read_yaml(self._trusted[name]))
            if name in self._project:
                values = read_yaml(self._project[name])
                found.append(without_guarded(values, self._sections)[0])
            if not found:
                near = difflib.get_close_matches(name, self.names(), n=1)
                hint = f"did you mean {near[0]}?" if near else "`mm profiles list` shows them"
                raise ConfigError(f"there is no profile {name!r}; {hint}")
            self._read[name] = found
        return self._read[name]
