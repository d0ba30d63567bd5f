"""What `mm doctor` finds, and plugins add to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is well or not, with its cure.

    area: what it is about, in a word.
    level: `fault` keeps mm from working, `warn` makes it worse.
    cure: what to do; "" when nothing is to be done, or the text says it.
    """

    area: str
    level: Literal["ok", "warn", "fault"]
    text: str
    cure: str = ""
