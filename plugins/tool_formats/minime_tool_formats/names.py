"""Names of tools as models write them in text."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from minime_core.tools import Tool

_NAMESPACE = re.compile(r"(?:functions?|tools?|default_api)[.:/]")


def unwrapped(name: str, known: Collection[str]) -> str:
    """Return `name` without quotes and a namespace such as `functions.`, unless it is `known`."""
    if name in known:
        return name
    bare = name.strip(" \t\n\"'`")
    return bare if bare in known else _NAMESPACE.sub("", bare, count=1)


def schema_of(name: str, tools: Mapping[str, Tool]) -> Mapping[str, Any]:
    """Return the schema of a tool's arguments, an empty one for a tool that there is not."""
    tool = tools.get(unwrapped(name, tools))
    return tool.schema if tool else {}
