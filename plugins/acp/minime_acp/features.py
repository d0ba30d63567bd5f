"""What the client can do, as it said in `initialize`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

TOOLS_KEY = "org.mini-me/tools"
"""The key in `_meta` under which a client offers tools."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Features:
    """The capabilities that matter here.

    has_forms: it can ask its user by a form.
    takes_notices: it shows notices; others lose updates of a kind that they do not know.
    tools: its tools as it sent them; True when it wants to be asked for them.
    """

    has_forms: bool = False
    takes_notices: bool = False
    tools: Any = None

    @classmethod
    def read(cls, capabilities: object) -> Features:
        """Read `clientCapabilities` as they came: models of the protocol drop what is newer."""
        return cls(
            # An empty object means yes, null and nothing mean no.
            has_forms=_inner(_inner(capabilities, "elicitation"), "form") is not None,
            takes_notices=_inner(_inner(capabilities, "session"), "notices") not in (None, False),
            tools=_inner(_inner(capabilities, "_meta"), TOOLS_KEY),
        )


def _inner(value: object, key: str) -> Any:
    return value.get(key) if isinstance(value, Mapping) else None
