"""What `mm doctor` finds: one thing that is well or not, with its cure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Level = Literal["ok", "warn", "fault"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report.

    area: what it is about, in a word.
    level: `fault` keeps mm from working, `warn` makes it worse.
    cure: what to do; "" when nothing is to be done, or the text says it.
    """

    area: str
    level: Level
    text: str
    cure: str = ""
