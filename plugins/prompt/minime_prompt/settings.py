"""The section `prompt` of the settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from minime_core.settings import setting

Size = Literal["small", "medium", "large"]


@dataclass(frozen=True, kw_only=True)
class PromptSettings:
    """How the model is spoken to. Profiles know most of it."""

    size: Literal["auto", "small", "medium", "large"] = setting(
        "auto", "how much the prompt says; auto goes by the size in the model's name"
    )
    agents_md: int = setting(
        3000, "most characters of AGENTS.md that enter the prompt; 0 leaves it out", least=0
    )
    thinking_on: dict[str, Any] = setting(
        help="fields of the request that turn thinking on", make=dict
    )
    thinking_off: dict[str, Any] = setting(
        help="fields of the request that turn thinking off", make=dict
    )
    thinking_off_word: str = setting("", "word in the prompt that turns thinking off")
    thinking_off_sampling: dict[str, float] = setting(
        help="sampling parameters for when thinking is off", make=dict
    )
