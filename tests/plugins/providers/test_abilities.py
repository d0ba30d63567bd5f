"""Whether a template has a place for tools, and the model eyes, as each kind of server tells it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from minime_core.config import Config
from minime_core.models import ModelRef
from minime_core.testing import FaultServer, status
from minime_providers.openai import OpenAIProvider
from minime_providers.presets import PRESETS

MODEL = "qwen3:8b"


def told(server: FaultServer, preset: str) -> tuple[bool | None, bool | None]:
    """Return whether tools are rendered, and whether the model sees, as far as is told."""

    async def run() -> tuple[bool | None, bool | None]:
        ref = ModelRef(provider=preset, model=MODEL, base_url=server.base_url)
        provider = OpenAIProvider(PRESETS[preset], Config([]), ref)
        try:
            info = await provider.info()
        finally:
            await provider.aclose()
        return info.renders_tools, info.sees_images

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("capabilities", "expected"),
    [
        (["completion", "tools", "vision"], (True, True)),
        (["completion"], (False, False)),
        ([], (None, None)),
        (None, (None, None)),
        ("tools", (None, None)),
    ],
)
def test_ollama_tells_it_as_capabilities(
    server: FaultServer, capabilities: Any, expected: tuple[bool | None, bool | None]
) -> None:
    server.routes["POST /api/show"] = {"capabilities": capabilities}
    assert told(server, "ollama") == expected
    # Window and abilities stand on one page, which is asked for once.
    assert [request.path for request in server.requests] == ["/api/ps", "/api/show"]


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ({"type": "llm", "capabilities": ["tool_use"]}, (True, False)),
        ({"type": "vlm"}, (None, True)),
        ({"type": "llm", "capabilities": "tool_use"}, (None, False)),
        ({}, (None, None)),
    ],
)
def test_lm_studio_tells_it_in_its_list(
    server: FaultServer, entry: dict[str, Any], expected: tuple[bool | None, bool | None]
) -> None:
    server.routes["GET /api/v0/models"] = {"data": [{"id": "other"}, {"id": MODEL, **entry}]}
    assert told(server, "lmstudio") == expected


def test_llama_swap_passes_on_what_llama_server_tells(server: FaultServer) -> None:
    server.routes["GET /running"] = {"running": [{"model": MODEL}]}
    server.routes["GET /upstream/qwen3%3A8b/props"] = server.routes["GET /props"]
    assert told(server, "llamaswap") == (True, False)
    server.routes["GET /running"] = {"running": []}
    assert told(server, "llamaswap") == (None, None)


@pytest.mark.parametrize("preset", ["ollama", "lmstudio", "llamaswap"])
def test_a_server_that_tells_nothing_leaves_it_open(server: FaultServer, preset: str) -> None:
    server.routes["POST /api/show"] = status(404)
    server.routes["GET /api/v0/models"] = [5]
    server.routes["GET /running"] = status(500)
    assert told(server, preset) == (None, None)
