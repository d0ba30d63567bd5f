"""What a model can do besides text: each kind of server tells it in its own way."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from minime_providers.windows import Ask, entries_of, is_same


@dataclass(frozen=True, slots=True, kw_only=True)
class Abilities:
    """None where the server tells nothing.

    renders_tools: whether the template has a place for tools.
    sees_images: whether the model takes pictures.
    """

    renders_tools: bool | None = None
    sees_images: bool | None = None


async def of_ollama(ask: Ask, model: str) -> Abilities:
    """Ask for `capabilities`, which Ollama reads off the template. Source: its docs/api.md."""
    shown = await ask("/api/show", {"model": model})
    told = shown.get("capabilities") if isinstance(shown, dict) else None
    if not isinstance(told, list) or not told:
        return Abilities()
    return Abilities(renders_tools="tools" in told, sees_images="vision" in told)


async def of_lmstudio(ask: Ask, model: str) -> Abilities:
    """Ask for type and capabilities. Source: LM Studio's REST API v0.

    A model without `tool_use` gets its tools as a text that LM Studio writes: none is dropped.
    """
    for entry in entries_of(await ask("/api/v0/models"), "data"):
        if is_same(model, (entry.get("id"),)):
            told = entry.get("capabilities")
            has_tools = isinstance(told, list) and "tool_use" in told
            kinds = {"vlm": True, "llm": False}
            return Abilities(
                renders_tools=True if has_tools else None,
                sees_images=kinds.get(str(entry.get("type"))),
            )
    return Abilities()


async def of_llamaswap(ask: Ask, model: str) -> Abilities:
    """Ask the llama-server behind it, if it runs: the question would start it otherwise."""
    running = await ask("/running")
    if not any(is_same(model, (e.get("model"),)) for e in entries_of(running, "running")):
        return Abilities()
    return in_props(await ask(f"/upstream/{quote(model)}/props"))


def in_props(props: object) -> Abilities:
    """Return what llama.cpp's `/props` tells."""
    caps = props.get("chat_template_caps") if isinstance(props, dict) else None
    senses = props.get("modalities") if isinstance(props, dict) else None
    vision = senses.get("vision") if isinstance(senses, dict) else None
    return Abilities(
        renders_tools=bool(caps.get("supports_tools")) if isinstance(caps, dict) else None,
        sees_images=vision if isinstance(vision, bool) else None,
    )


OWN_WAYS: Mapping[str, Callable[[Ask, str], Awaitable[Abilities]]] = {
    "llamaswap": of_llamaswap,
    "lmstudio": of_lmstudio,
    "ollama": of_ollama,
}
"""By the preset's name; all other servers tell nothing."""


def asking_once(ask: Ask) -> Ask:
    """Return `ask` with a memory: window and abilities often stand on the same page."""
    answers: dict[str, object] = {}

    async def remember(path: str, body: Mapping[str, Any] | None = None) -> object:
        key = f"{path} {json.dumps(body)}"
        if key not in answers:
            answers[key] = await (ask(path) if body is None else ask(path, body))
        return answers[key]

    return remember
