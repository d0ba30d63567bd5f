"""A tool as its server offers it, read as something that anybody may have written."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from minime_shared.cleaning import clean_schema, one_line

MAX_DESCRIPTION = 1_024
"""Most characters of a tool's description."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedTool:
    """A tool of a server, cleaned.

    name: what the model calls it: the server's name, two `_`, and its own name.
    inner: what its server calls it.
    digest: of all that the server said; another one is another tool, which the user did not enable.
    """

    name: str
    inner: str
    description: str
    schema: Mapping[str, Any]
    digest: str


def offered(server: str, inner: str, description: object, schema: object) -> OfferedTool:
    """Return a tool of `server`. Raises ValueError for one that cannot be a tool here."""
    name = f"{_plain(server)}__{_plain(inner)}"
    if not re.fullmatch("[0-9A-Za-z_-]{1,64}", name):
        raise ValueError(f"its name, {one_line(name, 80)}, has more than 64 characters")
    said = json.dumps([inner, description, schema], sort_keys=True, default=str)
    return OfferedTool(
        name=name,
        inner=inner,
        description=one_line(description if isinstance(description, str) else "", MAX_DESCRIPTION),
        schema=clean_schema(schema),
        digest=hashlib.sha256(said.encode("utf-8", "replace")).hexdigest(),
    )


def _plain(name: str) -> str:
    return re.sub("[^0-9A-Za-z_-]+", "_", name)
