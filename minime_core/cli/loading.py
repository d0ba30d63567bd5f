"""Read what settings and plugins a command line gets."""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import fields
from pathlib import Path
from typing import Any

from minime_core import paths, trust
from minime_core.assembly import Options, Warn
from minime_core.config import Config, Layer, read_yaml
from minime_core.flat_keys import unfold
from minime_core.plugins import PluginHost, discover
from minime_core.settings import Settings


def load_config(options: Options, sections: Collection[str], warn: Warn) -> Config:
    """Read all layers but the profile's. Raises ConfigError."""

    def read(path: Path) -> dict[str, Any]:
        values, unused = unfold(read_yaml(path), sections)
        if unused:
            warn(f"{path}: {', '.join(unused)} mean nothing here and are ignored")
        return values

    layers = []
    user = paths.config_folder() / "config.yaml"
    if user.is_file():
        layers.append(Layer(str(user), read(user)))
    project = trust.project_config(options.cwd)
    if project.is_file():
        values = read(project)
        if not trust.is_trusted(project):
            values, guarded = trust.without_guarded(values, sections)
            if guarded:
                warn(
                    f"{project} is not trusted: {', '.join(guarded)} ignored "
                    "(read the file, then run `mm trust`)"
                )
        layers.append(Layer(str(project), values))
    if options.config_file is not None:
        layers.append(Layer(str(options.config_file), read(options.config_file)))
    for name in (field.name for field in fields(Settings)):
        variable = f"MM_{name.upper()}"
        if os.environ.get(variable):
            layers.append(Layer(variable, {name: os.environ[variable]}))
    for name, value in options.flags.items():
        # The policy has no flag of its name: its values are flags.
        flag = value if name == "policy" else name.replace("_", "-")
        layers.append(Layer(f"--{flag}", {name: value}))
    return Config(layers, sections)


def load_host(options: Options, warn: Warn) -> tuple[PluginHost, Config]:
    """Find the plugins, read the settings, and load what is not disabled."""
    host = PluginHost(discover(), warn)
    config = load_config(options, {info.name for info in host.infos}, warn)
    host.load({*config.settings.disabled_plugins, *options.no_plugins})
    return host, config
