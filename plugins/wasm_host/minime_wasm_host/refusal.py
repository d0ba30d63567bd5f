"""Why a module cannot be used."""

from __future__ import annotations

from minime_core.errors import UserError


class Refused(UserError):
    """A module or its sidecar cannot be used; the text tells the user how to cure it."""
