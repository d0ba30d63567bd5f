"""What the user can choose for a session: its mode, model, profile, and whether it thinks."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from acp.schema import (
    SessionConfigOptionSelect,
    SessionConfigSelectOption,
    SessionMode,
    SessionModeState,
)

from minime_core.assembly import load_profiles
from minime_core.config import Config
from minime_core.models import ModelRef
from minime_core.plugins import PluginHost
from minime_core.session import Session
from minime_core.settings import Policy, Thinking

MODES: Mapping[Policy, tuple[str, str]] = {
    "ask": ("Ask", "ask before anything is changed or run"),
    "read-only": ("Read only", "nothing is changed or run"),
    "yolo": ("Yolo", "everything runs without a question"),
}
THINKING: Mapping[Thinking, tuple[str, str]] = {
    "auto": ("As the model likes", "the server or the model decides"),
    "on": ("On", "the model thinks before it answers"),
    "off": ("Off", "the model answers at once"),
}
LISTING_TIMEOUT = 3.0
"""Seconds that servers have to list their models."""
AUTOMATIC = "auto"
"""The value that leaves the profile to the model's name."""


@dataclass(frozen=True, slots=True)
class Choices:
    """The models and profiles that a session can have.

    models: by the value that stands for each.
    """

    models: Mapping[str, ModelRef]
    profiles: tuple[str, ...]


async def find_choices(host: PluginHost, config: Config, session: Session) -> Choices:
    """Ask plugins which models can be had, and look which profiles there are."""

    def listed() -> list[tuple[str, ModelRef]]:
        return list(host.collect("mm_list_models", ModelRef, config=config))

    refs: list[ModelRef] = []
    try:
        async with asyncio.timeout(LISTING_TIMEOUT):
            refs = [ref for _, ref in await asyncio.to_thread(listed)]
    except TimeoutError:
        pass  # The session's own model is one, at least.
    own = session.ref
    # What is configured may leave the model to the server; that is the session's own.
    others = [
        r for r in refs if r.model or (r.provider, r.base_url) != (own.provider, own.base_url)
    ]
    models = {model_value(ref): ref for ref in [own, *others]}
    return Choices(models, tuple(load_profiles(host, session.cwd).names()))


def model_value(ref: ModelRef) -> str:
    """Return what stands for a model in a choice."""
    return f"{ref.provider}/{ref.model}"


def mode_state(session: Session) -> SessionModeState:
    return SessionModeState(
        current_mode_id=session.permission.policy,
        available_modes=[
            SessionMode(id=mode, name=name, description=what)
            for mode, (name, what) in MODES.items()
        ],
    )


def config_options(
    session: Session, choices: Choices, profile: str
) -> list[SessionConfigOptionSelect]:
    """Return all choices with what is chosen.

    profile: what the user chose, `AUTOMATIC` if nothing.
    """
    automatic = f"Automatic ({session.profile.name})" if profile == AUTOMATIC else "Automatic"
    profiles = [(AUTOMATIC, automatic, "by the model's name")]
    profiles += [(name, name, "") for name in choices.profiles]
    return [
        _select(
            "mode",
            "Mode",
            session.permission.policy,
            ((mode, *named) for mode, named in MODES.items()),
        ),
        _select(
            "model",
            "Model",
            model_value(session.ref),
            ((value, ref.model or ref.provider, ref.why) for value, ref in choices.models.items()),
        ),
        _select("model_config", "Profile", profile, profiles, id="profile"),
        _select(
            "thought_level",
            "Thinking",
            session.settings.thinking,
            ((value, *named) for value, named in THINKING.items()),
            id="thinking",
        ),
    ]


def _select(
    category: Any, name: str, current: str, options: Iterable[tuple[str, str, str]], id: str = ""
) -> SessionConfigOptionSelect:
    return SessionConfigOptionSelect(
        id=id or category,
        name=name,
        category=category,
        type="select",
        current_value=current,
        options=[
            SessionConfigSelectOption(value=value, name=name, description=what or None)
            for value, name, what in options
        ],
    )
