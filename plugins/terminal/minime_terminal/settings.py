"""The terminal's section of the settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from minime_core.settings import setting

Thoughts = Literal["short", "full", "hidden"]


@dataclass(frozen=True, kw_only=True)
class TerminalSettings:
    """How the conversation looks and how its input line works."""

    thoughts: Thoughts = setting(
        "short", "what is shown of the model's thinking: its last lines, all of it, or nothing"
    )
    vi: bool = setting(False, "the input line has vi's keys instead of Emacs'")
