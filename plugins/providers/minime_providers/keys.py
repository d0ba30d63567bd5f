"""Keys of servers: from the environment or a command, for one host, never shown."""

from __future__ import annotations

import os

from minime_core.config import Config
from minime_core.errors import ConfigError
from minime_providers.places import address_beside
from minime_providers.presets import Preset

COMMAND_TIMEOUT = 30.0
"""Seconds that `api_key_command` may take; it may ask for a password."""


def find_key(config: Config, preset: Preset, base_url: str) -> str:
    """Return the key for `base_url`, or "".

    A key must not reach another host than its own: one that is set beside a server is for that
    server's address alone, and so is a preset's own variable. Raises ConfigError when a key was
    asked for and is not there.
    """
    settings = config.settings
    if settings.api_key_command and _is_for(config, "api_key_command", base_url):
        return _run(settings.api_key_command)
    if settings.api_key_env and _is_for(config, "api_key_env", base_url):
        key = os.environ.get(settings.api_key_env, "").strip()
        if not key:
            raise ConfigError(f"api_key_env names {settings.api_key_env}, which is not set")
        return _checked(key, settings.api_key_env)
    if preset.key_env and base_url == preset.base_url:
        return _checked(os.environ.get(preset.key_env, "").strip(), preset.key_env)
    return ""


def _is_for(config: Config, name: str, base_url: str) -> bool:
    return address_beside(config, name) in ("", base_url)


def _run(command: str) -> str:
    import subprocess

    try:
        done = subprocess.run(command, shell=True, stdout=subprocess.PIPE, timeout=COMMAND_TIMEOUT)
    except subprocess.TimeoutExpired:
        # The cause would carry what the command has printed.
        raise ConfigError(f"api_key_command took over {COMMAND_TIMEOUT:.0f} s") from None
    key = done.stdout.decode("utf-8", "replace").strip()
    if done.returncode != 0 or not key:
        raise ConfigError(f"api_key_command printed no key (exit code {done.returncode})")
    return _checked(key, "api_key_command")


def _checked(key: str, origin: str) -> str:
    if not key.isascii() or not key.isprintable():
        raise ConfigError(f"the key of {origin} holds characters that no key has")
    return key
