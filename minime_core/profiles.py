"""Model profiles: what is known of a family of models, as settings.

A profile is a YAML file with `match` (patterns on model names), `extends` (another profile) and any
settings; it is the config layer right above the defaults. Every profile extends `default`.
"""

from __future__ import annotations

import difflib
import fnmatch
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from minime_core.config import Config, Layer, read_yaml
from minime_core.errors import ConfigError
from minime_core.trust import without_guarded

DEFAULT = "default"
_META = ("match", "extends", "summary")
_SERVER = frozenset({"provider", "base_url", "model", "api_key_env", "api_key_command"})


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
        self._folders = [path.parent for path in (*files, *self._project.values())]
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

    def with_server(self, config: Config) -> Config:
        """Return `config` with the server that the chosen profile names, if one does.

        It counts where the profile was chosen: a flag replaces the server of the user's file, and
        is replaced by none but other variables and flags. Raises ConfigError.
        """
        places = [n for n, layer in enumerate(config.layers) if "profile" in layer.values]
        if not config.settings.profile or not places:
            return config
        run = [n for n, layer in enumerate(config.layers) if layer.origin.startswith(("MM_", "--"))]
        place = min(places[-1:] + run[:1])
        server = [
            Layer(layer.origin, {key: layer.values[key] for key in _SERVER & layer.values.keys()})
            for layer in self.load(config.settings.profile).layers
        ]
        layers = (*config.layers[:place], *server, *config.layers[place:])
        return Config(layers, config.sections)

    def match(self, model: str) -> str | None:
        """Return the name of the profile whose pattern fits `model` best, None when none does.

        Case is ignored, and `_` and spaces are as good as `-`. Of the path of a model's file the
        name counts first. The longest pattern wins, then the file that is nearest to the project,
        then the first name. Raises ConfigError.
        """
        fitting = self._fitting(model)
        return fitting[0][2] if fitting else None

    def why(self, model: str) -> str:
        """Return why `match` decides as it does, in words for the user. Raises ConfigError."""
        fitting = self._fitting(model)
        if not fitting:
            return f"no profile matches {model!r}; choose one of `mm profiles list` with --profile"
        length, place, name, pattern = fitting[0]
        why = f"{pattern!r} matches {model!r}"
        rivals = [match for match in fitting if match[0] == length and match[2] != name]
        if not rivals:
            return why
        reason = "comes first" if rivals[0][1] == place else "is nearer to the project"
        return f"{why}; so does {rivals[0][3]!r} of {rivals[0][2]}, but {name} {reason}"

    def patterns(self, name: str) -> list[str]:
        """Return the patterns of model names that a profile is for. Raises ConfigError."""
        patterns = self.values(name).get("match", [])
        if isinstance(patterns, str):
            patterns = [patterns]
        if not isinstance(patterns, list) or not all(isinstance(p, str) for p in patterns):
            raise ConfigError(f"profile {name}: match has to be a list of patterns")
        for pattern in patterns:
            if not re.search("[a-z0-9]", pattern.lower()):
                raise ConfigError(
                    f"profile {name}: {pattern!r} matches every model; what is for all of them "
                    "goes into a profile named default"
                )
        return patterns

    def _fitting(self, model: str) -> list[tuple[int, int, str, str]]:
        """Return the matches, the best first: less its length, less its place, name, pattern."""
        file = model.replace("\\", "/").rpartition("/")[2]
        for text in (file, model) if file.lower().endswith(".gguf") else (model,):
            fitting = [
                (-len(pattern), -self._place(name), name, pattern)
                for name in self.names()
                for pattern in self.patterns(name)
                if fnmatch.fnmatchcase(_plain(text), _plain(pattern))
            ]
            if fitting:
                return sorted(fitting)
        return []

    def _place(self, name: str) -> int:
        """Return how near to the project the file of a profile is."""
        return self._folders.index((self._project.get(name) or self._trusted[name]).parent)

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


def _plain(text: str) -> str:
    return re.sub(r"[_\s]+", "-", text.lower())
