"""The section `context` of the settings."""

from __future__ import annotations

from dataclasses import dataclass

from minime_core.settings import setting


@dataclass(frozen=True, kw_only=True)
class ContextSettings:
    """How the conversation is kept within the model's window."""

    enabled: bool = setting(True, "make room when the window fills")
    threshold: int = setting(75, "percent of the window at which room is made", least=10)
    max_messages: int = setting(
        80, "messages at which room is made when the window is unknown", least=10
    )
    keep_last_turns: int = setting(
        3, "last questions that are kept as they are, with their calls and answers", least=1
    )
    summary_max_tokens: int = setting(1200, "most tokens of a summary", least=50)
    prompt: str = setting("", "text that asks the model for a summary, instead of the built-in one")
    show_stats: bool = setting(True, "tell frontends after each answer how full the window is")
