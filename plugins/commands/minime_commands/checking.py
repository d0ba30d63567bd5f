"""What is wrong with a settings file or a profile, line by line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from minime_core.config import Config, Layer, read_yaml, snake_keys
from minime_core.errors import ConfigError
from minime_core.flat_keys import unfold
from minime_core.profiles import Profiles

PROFILE_KEYS = ("match", "extends", "summary")


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing to mend; `line` is 0 where it is about the file as a whole."""

    path: Path
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.text}" if self.line else f"{self.path}: {self.text}"


class Checker:
    """Checks files against the settings that there are.

    sections: the classes of the plugins' settings, by the plugin's name.
    plugins: names of all plugins; those without settings have no section to set.
    """

    def __init__(self, sections: Mapping[str, Any], plugins: frozenset[str]) -> None:
        self._sections = sections
        self._plugins = plugins

    def settings(self, path: Path) -> list[Fault]:
        """Return what is wrong with a settings file."""
        return sorted(self._file(path, ()), key=lambda fault: fault.line)

    def profile(self, path: Path, profiles: Profiles) -> list[Fault]:
        """Return what is wrong with a profile, which is one of all the `profiles`."""
        faults = sorted(self._file(path, PROFILE_KEYS), key=lambda fault: fault.line)
        if not faults:
            faults += [Fault(path, 0, text) for text in _links(path.stem, profiles)]
        return faults

    def _file(self, path: Path, others: tuple[str, ...]) -> Iterator[Fault]:
        try:
            values = read_yaml(path)
        except ConfigError as error:
            # It names the file itself, and the line where there is one.
            text = str(error).removeprefix(str(path))
            line = re.match(r", line (\d+)", text)
            what = text[line.end() :] if line else text
            yield Fault(path, int(line[1]) if line else 0, what.lstrip(": "))
            return
        lines, repeated = key_lines(path)
        for key, number in repeated:
            yield Fault(path, number, f"{key} is set twice; the last one counts")
        for key, value in values.items():
            if key in others:
                continue
            for inner, text in self._key(key, value):
                yield Fault(path, lines.get((key, inner), lines.get((key, ""), 0)), text)

    def _key(self, key: str, value: Any) -> Iterator[tuple[str, str]]:
        """Yield what is wrong with one setting: the key inside of it, or "", and the text."""
        found, unused = unfold({key: value}, self._plugins)
        for name in unused:
            yield "", f"{name} means nothing here and is ignored"
        for name, inner in found.items():
            if name in self._plugins and name not in self._sections:
                yield "", f"the plugin {name} has no settings"
            elif name in self._sections and not isinstance(inner, dict):
                yield "", f"{name} has to hold settings of that plugin"
            elif isinstance(inner, dict):
                for part, setting in inner.items():
                    yield from self._try(name, {name: {part: setting}}, _snake(part))
            else:
                yield from self._try(name, {name: inner}, "")

    def _try(self, name: str, values: dict[str, Any], inner: str) -> Iterator[tuple[str, str]]:
        try:
            config = Config([Layer("", values)], self._plugins)
            if name in self._sections:
                config.section(name, self._sections[name])
        except ConfigError as error:
            yield inner, str(error).removeprefix(": ")


def _links(name: str, profiles: Profiles) -> Iterator[str]:
    """Yield what is wrong between a profile and the others."""
    try:
        profiles.load(name)
        patterns = profiles.patterns(name)
    except ConfigError as error:
        yield str(error)
        return
    for other in profiles.names():
        shared = {*patterns} & {*profiles.patterns(other)} if other != name else set()
        for pattern in sorted(shared):
            yield f"{pattern!r} is a pattern of the profile {other} too: one of them never matches"


def key_lines(path: Path) -> tuple[dict[tuple[str, str], int], list[tuple[str, int]]]:
    """Return the line of each key of a YAML file that can be read, and the keys set twice.

    A key is a pair: its name and the one inside of it, which is "" for the outer key itself.
    """
    import yaml

    node = yaml.compose(path.read_bytes(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    lines: dict[tuple[str, str], int] = {}
    repeated: list[tuple[str, int]] = []
    for outer, line, value in _pairs(node):
        if (outer, "") in lines:
            repeated.append((outer, line))
        lines[outer, ""] = line
        for inner, number, _ in _pairs(value):
            lines[outer, inner] = number
    return lines, repeated


def _pairs(node: Any) -> Iterator[tuple[str, int, Any]]:
    import yaml

    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield _snake(key.value), key.start_mark.line + 1, value


def _snake(name: Any) -> str:
    return next(iter(snake_keys({name: None})))
