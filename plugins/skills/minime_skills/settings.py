"""The section `skills` of the settings."""

from __future__ import annotations

from dataclasses import dataclass

from minime_core.settings import setting


@dataclass(frozen=True, kw_only=True)
class SkillSettings:
    """Which skills the model is offered."""

    folders: list[str] = setting(
        help="folders of skills, besides the user's and the project's", make=list
    )
    enabled: list[str] = setting(help="shipped skills that are on, by name", make=list)
