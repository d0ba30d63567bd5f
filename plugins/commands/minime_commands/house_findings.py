"""Whether settings, profiles, plugins and trust are in order."""

from __future__ import annotations

import operator
import re
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from minime_commands.checking import Checker
from minime_commands.sections import section_classes
from minime_core import paths, trust
from minime_core.assembly import Options, load_profiles
from minime_core.cli.finding import Finding
from minime_core.errors import ConfigError
from minime_core.plugins import DISTRIBUTION, PluginHost

_COMPARE = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
    "==": operator.eq,
    "!=": operator.ne,
}


def settings(options: Options, host: PluginHost, broken: str) -> Iterator[Finding]:
    """Yield what is wrong in files of settings and in the user's and the project's profiles.

    broken: why the settings as a whole cannot be used, "" when they can.
    """
    checker = Checker(section_classes(host), frozenset(info.name for info in host.infos))
    own = paths.config_folder()
    found = []
    for path in (own / "config.yaml", trust.project_config(options.cwd), options.config_file):
        if path and path.is_file():
            found += [str(fault) for fault in checker.settings(path)]
    if broken and not found:
        found.append(broken)
    for text in found:
        yield Finding("settings", "fault" if broken else "warn", text, "mend it; `mm config check`")
    if not found:
        yield Finding("settings", "ok", "nothing to mend")
    try:
        profiles = load_profiles(host, options.cwd)
        folders = (own / "profiles", options.cwd / paths.PROJECT_FOLDER / "profiles")
        for path in sorted(path for folder in folders for path in folder.glob("*.yaml")):
            for fault in checker.profile(path, profiles):
                cure = f"mend it; `mm profiles check {path.stem}`"
                yield Finding("profiles", "fault", str(fault), cure)
    except ConfigError as error:
        yield Finding("profiles", "fault", str(error), "mend that file")


def plugins(host: PluginHost) -> Iterator[Finding]:
    """Yield which plugins cannot be loaded, or were made for another version."""
    ours = _our_version()
    loaded = [info.name for info in host.infos if info.state == "loaded"]
    for info in host.infos:
        if info.state == "failed":
            cure = f"`mm plugins why {info.name}` tells more, `mm plugins disable {info.name}` "
            text = f"{info.name} is left out: {info.error}"
            yield Finding("plugins", "fault", text, f"{cure}ends it")
        elif info.state != "disabled" and not is_allowed(info.made_for, ours):
            text = f"{info.name} {info.version} was made for mini-me {info.made_for}, not {ours}"
            cure = f"pip install --upgrade {info.distribution}, or `mm plugins disable {info.name}`"
            yield Finding("plugins", "warn", text, cure)
    off = [info.name for info in host.infos if info.state == "disabled"]
    text = f"{len(loaded)} loaded" + (f", disabled: {', '.join(off)}" if off else "")
    yield Finding("plugins", "ok", text)


def is_allowed(requirement: str, version: str) -> bool:
    """Return whether `version` fits a requirement such as `>=0.1,<0.2`.

    What is not understood is taken for fitting: pip has the last word, at installation.
    """
    for part in filter(None, requirement.split(",")):
        match = re.fullmatch(r"\s*(>=|<=|==|!=|>|<)\s*([\d.]+)\s*", part)
        if match and not _COMPARE[match[1]](*_same_length(version, match[2])):
            return False
    return True


def _same_length(a: str, b: str) -> tuple[list[int], list[int]]:
    """Return two versions as numbers, the shorter one with zeros: 0.1 is 0.1.0."""
    pair = [[int(digits) for digits in re.findall(r"\d+", text)] for text in (a, b)]
    most = max(map(len, pair))
    first, second = ([*numbers, *[0] * (most - len(numbers))] for numbers in pair)
    return first, second


def _our_version() -> str:
    try:
        return version(DISTRIBUTION)
    except PackageNotFoundError:
        return ""


def project(cwd: Path) -> Finding:
    """Return whether the project has settings that are not trusted."""
    path = trust.project_config(cwd)
    try:
        if not path.is_file():
            return Finding("trust", "ok", "this folder has no settings of its own")
        if trust.is_trusted(path):
            return Finding("trust", "ok", f"{path} is trusted as it is")
    except OSError as error:
        return Finding("trust", "fault", f"{path}: {error.strerror}", "make it readable")
    text = f"{path} is not trusted: its guarded settings are ignored"
    return Finding("trust", "warn", text, "read the file, then run `mm trust`")
