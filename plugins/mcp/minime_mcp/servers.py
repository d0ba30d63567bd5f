"""The MCP servers that the settings name."""

from __future__ import annotations

import hashlib
import json
import os
import re
import string
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from minime_core.config import Config, convert, snake_keys
from minime_core.errors import ConfigError, UserError
from minime_mcp.settings import McpSettings
from minime_shared.cleaning import one_line

_KINDS = {"": "", "stdio": "command", "http": "url", "streamable_http": "url"}
"""What the `type` of a server asks for; editors write it, people need not."""
_OF_PROGRAMS = {"command", "args", "env", "cwd"}
_OF_ADDRESSES = {"url", "headers"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A server: a program that is started, or an address.

    env, headers: as they are written; `$NAME` in their values stands for a variable.
    """

    name: str
    command: str = ""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: str = ""
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def place(self) -> str:
        """The command line or the address, in one line for the user."""
        return one_line(self.url or " ".join([self.command, *self.args]), 200)

    @property
    def identity(self) -> str:
        """What tells this server from another of the same name; what is enabled belongs to it."""
        told = [self.command, self.args, self.cwd, self.url]
        return hashlib.sha256(json.dumps(told).encode()).hexdigest()

    def expanded(self, values: Mapping[str, str]) -> dict[str, str]:
        """Return `env` or `headers` with the values of variables. Raises UserError."""
        return {name: self._expanded(name, value) for name, value in values.items()}

    def _expanded(self, name: str, value: str) -> str:
        try:
            return string.Template(value).substitute(os.environ)
        except KeyError as error:
            raise UserError(
                f"MCP server {self.name}: set the environment variable {error.args[0]}, "
                f"which its setting {name} names"
            ) from error
        except ValueError as error:
            raise UserError(
                f"MCP server {self.name}: in {name}, `$` stands before the name of a variable; "
                "write `$$` for a dollar"
            ) from error


def servers(config: Config) -> dict[str, Server]:
    """Return the servers of the settings by name. Raises ConfigError."""
    declared = config.section("mcp", McpSettings).servers
    return {name: _server(name, snake_keys(values)) for name, values in declared.items()}


def find_server(config: Config, name: str) -> Server:
    """Return the server `name`. Raises UserError."""
    known = servers(config)
    if name not in known:
        there = f"there are: {', '.join(known)}" if known else "the setting mcp.servers names none"
        raise UserError(f"no MCP server {one_line(name, 60)!r}; {there}")
    return known[name]


def _server(name: str, values: dict[str, Any]) -> Server:
    where = f"mcp.servers.{name}"
    if not re.fullmatch("[0-9A-Za-z_. -]{1,40}", name):
        raise ConfigError(
            f"{where}: a name has up to 40 letters, digits, `_`, `-`, dots and blanks"
        )
    kind = str(values.pop("type", "") or "")
    if kind not in _KINDS:
        raise ConfigError(f"{where}.type is {kind!r}; it can be stdio or http")
    if ("command" in values) == ("url" in values):
        raise ConfigError(f"{where} needs either `command` or `url`")
    if _KINDS[kind] and _KINDS[kind] not in values:
        raise ConfigError(f"{where} needs `{_KINDS[kind]}`, since its type is {kind}")
    allowed = _OF_PROGRAMS if "command" in values else _OF_ADDRESSES
    if unknown := sorted(values.keys() - allowed):
        raise ConfigError(
            f"{where}.{unknown[0]} is unknown; there are: {', '.join(sorted(allowed))}"
        )
    server = Server(
        name=name,
        command=convert(values.get("command", ""), str, f"{where}.command"),
        args=tuple(convert(values.get("args", []), list[str], f"{where}.args")),
        env=convert(values.get("env", {}), dict[str, str], f"{where}.env"),
        cwd=convert(values.get("cwd", ""), str, f"{where}.cwd"),
        url=convert(values.get("url", ""), str, f"{where}.url"),
        headers=convert(values.get("headers", {}), dict[str, str], f"{where}.headers"),
    )
    if "url" in values and not re.match(r"https?://[^/\s]", server.url):
        raise ConfigError(f"{where}.url has to begin with http:// or https://")
    return server
